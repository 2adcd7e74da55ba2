package gitstate

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// neutral are settings that make git read trailers as we do.
var neutral = []string{"-c", "trailer.separators=:", "-c", "core.commentChar=#"}

// messages are commit messages whose trailers are easy to misread, and messages that people really write.
var messages = []string{
	"subject\n",
	"subject\n\nResume-Run: a-b2c3\nResume-Task: backfill\n",
	"Fix: it\n",
	"Fix: it\nA: b\n",
	"subject\n\nbody\n\nResume-Run: a-b2c3\n\n\n",
	"subject\n\nbody\nResume-Run: a-b2c3\n",
	"subject\n\nA: b\nno trailer\n",
	"subject\n\nSigned-off-by: x\none\ntwo\nthree\n",
	"subject\n\nSigned-off-by: x\none\ntwo\nthree\nfour\n",
	"subject\n\n(cherry picked from commit 1234)\nA: b\nother\n",
	"subject\n\n(cherry picked from commit 1234)\n",
	"subject\n\nA: b\n  folded\n\tagain  \nC: d\n",
	"subject\n\nA: b  \n  folded\n",
	"subject\n\n  leading\nA: b\n",
	"subject\n\nA: b\n# comment\n  after a comment\nC: d\n",
	"subject\n\nSigned-off-by: x\nother\n  below other\n",
	"subject\n\nA : b\nC\t:d\nE F: g\n",
	"subject\n\n: b\nA: c\n",
	"subject\n\nA:b\nA:\nA: \n",
	"subject\n\nÄ: b\n",
	"subject\n\nA_B: c\n",
	"subject\r\n\r\nA: b\r\nC: d\r\n",
	"subject\n\nA: b\n \n\t\n",
	"subject\n\nA: b\n\n  \n",
	"subject\n\nA: b\n\n# Please enter\n# the message\n",
	"subject\n\nA: b\n\nConflicts:\n\tfile\n\tother\n",
	"subject\n\nA: b\n\nConflicts:\n\tfile\n\nmore\n",
	"subject\n\nA: b\n# ------------------------ >8 ------------------------\nC: d\n",
	"# ------------------------ >8 ------------------------\nsubject\n\nA: b\n",
	"subject\n\n---\nA: b\n",
	"subject\n\nA: b\n---\n file | 1 +\n",
	"# comment\nsubject\n\nA: b\n",
	"subject\n# comment\n\nA: b\n",
	"subject\n\n# A: b\n",
	"subject\n\nA: b\n\n\nC: d\n",
	"subject\n\nA: one: two\n",
	"subject\n\nA: b\x0b\n\x0bC: d\n",
	"subject\n\nA: \u00a0b\u00a0\n",
	"subject\n\nhttp://example.com\n",
	"\n\nsubject\n\nA: b\n",
	"\nA: b\n",
	"",
	"\n",
	"#\n",
	"Conflicts:\n\tx\n#\n\ty\n\nA: b\n",
}

func TestTrailers_asGit(t *testing.T) {
	t.Parallel()
	for name, own := range eachGit(t) {
		for _, m := range messages {
			want := own.Pipe(m, append(neutral, "interpret-trailers", "--parse", "--no-divider")...)
			if got := formatTrailers(Trailers(m)); got != want {
				t.Errorf("%s: trailers of %q: got %q, want %q", name, m, got, want)
			}
		}
	}
}

// TestTrailers_asGitInBulk compares our result with "git log", which reads thousands of messages in one call.
func TestTrailers_asGitInBulk(t *testing.T) {
	t.Parallel()
	count := 3000
	if gittest.Proving() {
		count = 60000
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	made := make([]string, count)
	for i := range made {
		made[i] = "s" + randomMessage(rnd)
	}
	for name, own := range eachGit(t) {
		for i, want := range trailersByLog(own, made) {
			if got := formatTrailers(Trailers(made[i])); got != want {
				t.Fatalf("%s: trailers of %q: got %q, want %q", name, made[i], got, want)
			}
		}
	}
}

// TestAddTrailers_readBackByGit adds trailers to generated messages. The old text must stay in place, and git must read the old and the
// new trailers.
func TestAddTrailers_readBackByGit(t *testing.T) {
	t.Parallel()
	count := 2000
	if gittest.Proving() {
		count = 40000
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	add := []Trailer{{"Resume-Run", "migrate-auth-a7f3"}, {"Resume-Task", "back: fill"}}
	before, after := make([]string, count), make([]string, count)
	for i := range before {
		before[i] = "s" + randomMessage(rnd)
		if i < len(messages) && strings.HasPrefix(messages[i], "s") {
			before[i] = messages[i]
		}
		after[i] = AddTrailers(before[i], add...)
		if !keepsLines(after[i], before[i]) {
			t.Fatalf("adding to %q changed it: %q", before[i], after[i])
		}
		if again := AddTrailers(after[i], add...); again != after[i] {
			t.Fatalf("adding twice to %q: %q, then %q", before[i], after[i], again)
		}
	}
	own := gittest.Empty(t)
	for i, got := range trailersByLog(own, after) {
		if want := formatTrailers(append(Trailers(before[i]), add...)); got != want {
			t.Fatalf("added to %q: %q\ngit sees %q, want %q", before[i], after[i], got, want)
		}
	}
}

// keepsLines reports whether the new text still contains every line of the old text that is not blank, in the same order.
func keepsLines(after, before string) bool {
	have := strings.Split(after, "\n")
	for line := range strings.SplitSeq(before, "\n") {
		line = strings.TrimRight(line, " \t\r")
		if line == "" {
			continue
		}
		for len(have) > 0 && strings.TrimRight(have[0], " \t\r") != line {
			have = have[1:]
		}
		if len(have) == 0 {
			return false
		}
		have = have[1:]
	}
	return true
}

func TestAddTrailers(t *testing.T) {
	t.Parallel()
	run := Trailer{"Resume-Run", "x-a7f3"}
	for _, c := range []struct{ name, message, want string }{
		{"subject alone", "subject", "subject\n\nResume-Run: x-a7f3\n"},
		{"blank end", "subject\n\nbody  \n\n\n", "subject\n\nbody\n\nResume-Run: x-a7f3\n"},
		{"subject that looks like a trailer", "Fix: it\n", "Fix: it\n\nResume-Run: x-a7f3\n"},
		{"a block is there", "subject\n\nA: b\n", "subject\n\nA: b\nResume-Run: x-a7f3\n"},
		{"a block without keys is there", "subject\n\n(cherry picked from commit 1234)\n", "subject\n\n(cherry picked from commit 1234)\nResume-Run: x-a7f3\n"},
		{"it is there already", "subject\n\nresume-run: x-a7f3\n", "subject\n\nresume-run: x-a7f3\n"},
		{"another value is there", "subject\n\nResume-Run: y-b2c3\n", "subject\n\nResume-Run: y-b2c3\nResume-Run: x-a7f3\n"},
		{"comments behind", "subject\n\nbody\n# note\n", "subject\n\nbody\n\nResume-Run: x-a7f3\n# note\n"},
		{"scissors behind", "subject\n\nA: b\n# ------------------------ >8 ------------------------\ndiff\n",
			"subject\n\nA: b\nResume-Run: x-a7f3\n# ------------------------ >8 ------------------------\ndiff\n"},
	} {
		if got := AddTrailers(c.message, run); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	if got := AddTrailers("subject\n"); got != "subject\n" {
		t.Errorf("adding nothing: %q", got)
	}
}

func TestTrailerValues(t *testing.T) {
	t.Parallel()
	m := "s\n\nResume-Task: a\nRESUME-TASK: b\nOther: c\nResume-Task: a\n"
	if got := strings.Join(TrailerValues(m, "resume-task"), " "); got != "a b a" {
		t.Errorf("got %q", got)
	}
}

func FuzzTrailers(f *testing.F) {
	for _, m := range messages {
		f.Add(m, "value")
	}
	empty := gittest.Empty(f)
	f.Fuzz(func(t *testing.T, m, value string) {
		own := &gittest.Repo{T: t, Dir: empty.Dir, Env: empty.Env}
		if strings.Contains(m, "\x00") {
			t.Skip("git ends a message there")
		}
		got := Trailers(m)
		// Asking git takes a thousand times as long as parsing, so we ask git about one input in a hundred.
		if crc32.ChecksumIEEE([]byte(m))%100 == 0 && gitReads(m) {
			if want := own.Pipe(m, append(neutral, "interpret-trailers", "--parse", "--no-divider")...); formatTrailers(got) != want {
				t.Fatalf("trailers of %q: got %q, want %q", m, formatTrailers(got), want)
			}
		}
		if value = strings.Trim(value, " \t\r\n"); strings.ContainsAny(value, "\n\x00") || strings.Trim(m, " \t\r\n") == "" {
			return
		}
		added := Trailers(AddTrailers("s"+m, Trailer{"Resume-Task", value}))
		if len(added) == 0 || !strings.EqualFold(added[len(added)-1].Key, "resume-task") && len(TrailerValues("s"+m, "Resume-Task")) == 0 {
			t.Fatalf("added to %q: %v", "s"+m, added)
		}
	})
}

// gitReads reports whether "git interpret-trailers" reads exactly this text. If a text has no final newline, git adds one before it reads
// the text.
func gitReads(m string) bool { return m == "" || strings.HasSuffix(m, "\n") }

// eachGit makes an empty repository for the installed git, and another for a newer git if the tests have one.
func eachGit(t *testing.T) map[string]*gittest.Repo {
	out := map[string]*gittest.Repo{"git": gittest.Empty(t)}
	if newer, ok := gittest.Newer(); ok {
		own := gittest.Empty(t)
		own.Env = newer.Env(own.Root())
		out["newer git"] = own
	}
	return out
}

// formatTrailers writes trailers as git prints them.
func formatTrailers(all []Trailer) string {
	var b strings.Builder
	for _, t := range all {
		fmt.Fprintf(&b, "%s: %s\n", t.Key, t.Value)
	}
	return b.String()
}

// trailersByLog makes one commit for each message and lets git print the trailers.
func trailersByLog(own *gittest.Repo, all []string) []string {
	own.T.Helper()
	var in strings.Builder
	for _, m := range all {
		fmt.Fprintf(&in, "commit refs/heads/bulk\ncommitter A <a@example.com> 1893553445 +0000\ndata %d\n%s\n", len(m), m)
	}
	own.Pipe(in.String(), "fast-import", "--quiet", "--force")
	out := own.Pipe("", append(neutral, "log", "--reverse", "--topo-order", "--encoding=", "--format=%(trailers:only,unfold)%x01%x02", "bulk")...)
	parts := strings.Split(strings.TrimSuffix(out, "\x01\x02\n"), "\x01\x02\n")
	if len(parts) != len(all) {
		own.T.Fatalf("git printed %d messages of %d", len(parts), len(all))
	}
	own.Git("update-ref", "-d", "refs/heads/bulk")
	return parts
}

// randomMessage combines pieces of text that make trailers hard to read.
func randomMessage(rnd *rand.Rand) string {
	pieces := []string{
		"\n", "\n", "\n\n", "\n\n", "A: b\n", "Key: value\n", "Key:value\n", "Long-Key : value \n", "x\n", "plain text\n", "  fold\n", "\tfold: with\n",
		" \n", "\t\n", "# comment\n", "#A: b\n", "Signed-off-by: me\n", "Signed-off-by:me\n", "(cherry picked from commit 12)\n", "(cherry picked\n",
		"Conflicts:\n", "\tpath\n", "---\n", ": x\n", "a b: c\n", "A:\n", "Ü: x\n", "x\r\n", "A: b\r\n", "# ------------------------ >8 ------------------------\n",
		"\x0b\n", "Resume-Run: x-a7f3\n", "no newline", "K: v", "A: b\n  c\n",
	}
	var b strings.Builder
	for range 1 + rnd.IntN(14) {
		b.WriteString(pieces[rnd.IntN(len(pieces))])
	}
	return b.String()
}

// TestTrailers_userSettingsDoNotMatter reads trailers that git itself does not find with the user's settings.
func TestTrailers_userSettingsDoNotMatter(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	own.Git("config", "trailer.separators", "=%")
	own.Git("config", "core.commentChar", "R")
	own.Git("config", "trailer.resume.key", "Resume-Run: ")
	own.Git("config", "trailer.ifexists", "replace")
	own.Git("commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", "subject\n\nResume-Run: x-a7f3\nResume-Task: a\nResume-Task: b\n")
	if seen := own.Git("log", "-1", "--format=%(trailers:only)"); strings.Contains(seen, "Resume-Task") {
		t.Fatalf("the settings change nothing for git: %q", seen)
	}
	c, err := openAt(t, own).Objects.Commit(t.Context(), "HEAD")
	gittest.NoError(t, "Commit", err)
	gittest.Equal(t, "trailers", formatTrailers(Trailers(c.Message)), "Resume-Run: x-a7f3\nResume-Task: a\nResume-Task: b\n")
}
