package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

func TestConflicts_answersByExitCodeAndAsGitLists(t *testing.T) {
	r := gittest.New(t)
	line := func(n int, text string) string {
		return strings.Repeat("same\n", n) + text + strings.Repeat("same\n", 20-n)
	}
	commit := func(files map[string]string) {
		for name, text := range files {
			r.Write(name, text)
		}
		r.Git("add", "-A")
		r.Git("commit", "-qm", "work")
	}
	commit(map[string]string{"f": line(5, "base\n"), "far": line(0, "")})
	r.Git("switch", "-qc", "a/topic")
	commit(map[string]string{"f": line(5, "topic\n"), "far": line(2, "topic\n"), "p/q": "below\n"})
	r.Git("switch", "-q", "main")
	commit(map[string]string{"f": line(5, "main\n"), "far": line(18, "main\n"), "p": "file\n"})
	r.Git("switch", "-q", "--orphan", "alone")
	commit(map[string]string{"x": "x\n"})

	want, ways := []string{"f", "p~main"}, [][]string{nil, {"--engine=builtin"}, {"--base", "main~1"}}
	if (gittest.Git{}).AtLeast(2, 38) { // older versions of git cannot list the conflicts
		list, _ := r.Try("git", "merge-tree", "--name-only", "--no-messages", "main", "a/topic")
		want, ways = strings.Fields(list)[1:], append(ways, []string{"--engine=git"})
	}
	for _, args := range ways {
		out, code := r.Resume(append([]string{"conflicts", "--json", "main", "a/topic"}, args...)...)
		var doc struct {
			Schema    int
			Clean     bool
			Conflicts []struct{ Path, Kind string }
		}
		if err := json.Unmarshal([]byte(out), &doc); err != nil || code != 1 || doc.Schema != 1 || doc.Clean {
			t.Fatalf("%v: code %d, %v\n%s", args, code, err, out)
		}
		var got []string
		for _, c := range doc.Conflicts {
			got = append(got, c.Path)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: %q, git lists %q", args, got, want)
		}
	}
	for code, cases := range map[int][][]string{
		0:   {{"main", "main~1"}, {"main", "main"}},
		1:   {{"main", "a/topic"}},
		128: {{"main", "nosuch"}, {"main", "a/topic", "--base", "nosuch"}, {"main", "alone"}, {"alone", "main", "--engine=builtin"}},
		129: {{"main"}, {"main", "a/topic", "--engine=x"}},
	} {
		for _, args := range cases {
			if out, got := r.Resume(append([]string{"conflicts"}, args...)...); got != code {
				t.Errorf("conflicts %v: code %d, want %d\n%s", args, got, code, out)
			}
		}
	}
}
