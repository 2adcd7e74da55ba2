package journal

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/gittest"
)

// FuzzCache changes or removes bytes of a cache file. Reading the file must return a state that the journal really had, or nothing.
func FuzzCache(f *testing.F) {
	first := line(1, "a.1", checkpoint.Event{Event: checkpoint.RunStarted, Base: &checkpoint.Base{Name: "main", Commit: "abc"}}).Text
	f.Add(first, line(2, "a.2", checkpoint.Event{Event: checkpoint.TaskStarted, Task: "x"}).Text, line(3, "a.3", checkpoint.Event{Event: checkpoint.TaskDone, Task: "x"}).Text, 40, byte(1), 1000)
	f.Add(first, "", "{}", 0, byte(0), 30)
	f.Add("\x00", first, "[", -1, byte(255), -1)
	repo := gittest.New(f)
	s := storeAt(f, repo.Dir, repo.Env, "nonce1")
	f.Fuzz(func(t *testing.T, one, two, three string, at int, flip byte, end int) {
		tips := []object.ID{someTip('1'), someTip('2'), someTip('3')}
		lines := []string{one, two, three}
		run := checkpoint.Fold(testRun, []checkpoint.Line{checkpoint.ParseLine(one)}, nil)
		text, err := s.cache().seal(testRun, cacheFile{cacheVersion, tips[0], tips[0], tips[0], tail{}, run})
		if err != nil {
			return // a state that cannot be encoded is never cached
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

func someTip(c byte) object.ID { return object.ID(strings.Repeat(string(c), 40)) }
