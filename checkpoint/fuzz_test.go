package checkpoint

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/proc"
)

// FuzzCache: a cache tells the state at one of its tips or nothing, whatever byte of it was changed or is missing.
func FuzzCache(f *testing.F) {
	first := line(1, "a.1", Event{Event: RunStarted, Base: &Base{"main", "abc"}}).Text
	f.Add(first, line(2, "a.2", Event{Event: TaskStarted, Task: "x"}).Text, line(3, "a.3", Event{Event: TaskDone, Task: "x"}).Text, 40, byte(1), 1000)
	f.Add(first, "", "{}", 0, byte(0), 30)
	f.Add("\x00", first, "[", -1, byte(255), -1)
	s := &Store{keys: &Keys{own: testKey, keyed: true}}
	f.Fuzz(func(t *testing.T, one, two, three string, at int, flip byte, end int) {
		tips := []gitstate.OID{someTip('1'), someTip('2'), someTip('3')}
		lines := []string{one, two, three}
		run := Fold(testRun, []Line{ParseLine(one)}, nil)
		text, err := s.cache().seal(testRun, cacheFile{cacheVersion, tips[0], tips[0], tips[0], tail{}, run})
		if err != nil {
			return // what cannot be written is not cached
		}
		for i := 1; i < len(lines); i++ {
			more, err := s.cache().seal(testRun, cacheMore{tips[i-1], tips[i], tips[i], []string{lines[i]}})
			if err != nil {
				return
			}
			text = append(text, more...)
		}
		if c := s.cache().parseCache(text, testRun, tips[0]); c == nil || c.Tip != tips[0] || !same(c.Run, run) {
			t.Fatalf("cached %+v, read %+v", run, c)
		}
		damaged := slices.Clone(text)
		if at >= 0 && at < len(damaged) {
			damaged[at] ^= flip
		}
		if end >= 0 && end < len(damaged) {
			damaged = damaged[:end]
		}
		for _, want := range append(tips, "") {
			c := s.cache().parseCache(damaged, testRun, want)
			if c == nil {
				continue
			}
			n := slices.Index(tips, c.Tip)
			sound := s.cache().parseCache(text, testRun, c.Tip)
			if n < 0 || sound == nil || !same(c.Run, sound.Run) {
				t.Fatalf("%q tells %+v", damaged, c)
			}
		}
	})
}

func someTip(c byte) gitstate.OID { return gitstate.OID(strings.Repeat(string(c), 40)) }

// FuzzOwnFiles: lock files and open files say what was written into them, and damaged ones nothing that could be believed.
func FuzzOwnFiles(f *testing.F) {
	f.Add([]byte(`{"host":"h","boot":"b","ns":"n","pid":7,"start":"1","command":"make","nonce":"x","clone":"c"}`), "sh", "-c\x1b[31m")
	f.Add([]byte(`{"v":1,"journal":"`+strings.Repeat("a", 40)+`","head":"--output=x"}`), "", "")
	f.Add([]byte(`{"pid":-1,"start":1}`), "\xff", "\x00")
	f.Fuzz(func(t *testing.T, text []byte, word, more string) {
		a := parseActor(text)
		if fate := a.Fate(proc.Table{}, "another clone"); a.Clone != "" && a.Clone != "another clone" && fate != proc.Unknown {
			t.Fatalf("%s: another clone's process is %v", text, fate)
		}
		again, err := json.Marshal(a)
		if err != nil || *parseActor(again) != *a {
			t.Fatalf("%q was read, and written as %s: %v", text, again, err)
		}
		own := NewActor(proc.Host{Name: "h"}, proc.Process{PID: 7, Start: "1", Args: []string{word, more}}, "c")
		if len(own.Command) > maxCommand+len("…") || strings.ContainsFunc(own.Command, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
			t.Fatalf("%q %q is recorded as %q", word, more, own.Command)
		}
		if o := parseOpen(text); o.Journal != "" && !gitstate.IsOID(string(o.Journal)) {
			t.Fatalf("%q names the journal %q", text, o.Journal)
		}
	})
}

// FuzzRawCommit writes a commit as "git log --format=raw" does, and reads it.
func FuzzRawCommit(f *testing.F) {
	f.Add("subject\n\nResume-Run: job-ab2c\nResume-Task: a\n", "A U Thor <a@example.com>", 1700000000)
	f.Add("\n\n    indented\n\ncommit x\n", "> 5 <", -1)
	f.Fuzz(func(t *testing.T, message, who string, when int) {
		if strings.ContainsAny(who, "\n") || strings.Contains(who, "> ") || strings.Contains(message, "\x00") {
			return
		}
		var b strings.Builder
		id := someTip('a')
		b.WriteString("commit " + string(id) + "\ntree " + string(someTip('b')) + "\nparent " + string(someTip('c')) + "\ncommitter " + who + "> " + itoa(when) + " +0100\n\n")
		for l := range strings.Lines(message) {
			b.WriteString("    " + l)
		}
		c, ok := parseRaw(b.String())
		if !ok || c.ID != id || c.Tree != someTip('b') || len(c.Parents) != 1 || c.Message != message || c.Committer.When.Unix() != int64(when) {
			t.Fatalf("%q gave %+v", b.String(), c)
		}
		for _, e := range evidenceOf(c, "job-ab2c") {
			if e.Commit.ID != id {
				t.Fatalf("evidence of %s", e.Commit.ID)
			}
		}
		_, _ = parseRaw(message) // as it came
	})
}

func itoa(n int) string {
	text, _ := json.Marshal(n)
	return string(text)
}

// FuzzCleanMessage: cleaning twice is cleaning once, and leaves no blanks at ends of lines, nor two empty lines in a row.
func FuzzCleanMessage(f *testing.F) {
	for _, text := range []string{"", "a", "\n\n a \t\r\n\n\n\nb\n\n", "# c\nx", "\x00\v\f"} {
		f.Add(text)
	}
	config := &gitstate.Config{}
	f.Fuzz(func(t *testing.T, text string) {
		got := cleanMessage(text, config)
		if cleanMessage(got, config) != got || strings.Contains(got, "\n\n\n") || strings.HasPrefix(got, "\n") && got != "\n" || !strings.HasSuffix(got, "\n") {
			t.Fatalf("%q became %q", text, got)
		}
		for l := range strings.Lines(got) {
			if l = strings.TrimSuffix(l, "\n"); strings.TrimRight(l, " \t\r") != l {
				t.Fatalf("%q became %q", text, got)
			}
		}
	})
}
