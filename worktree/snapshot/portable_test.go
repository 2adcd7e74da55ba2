package snapshot

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

func TestReceive_refusesWhatPortableDoesNotWrite(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	head := f.Git("rev-parse", "HEAD")
	blob := gitIn(f, "x\n", "hash-object", "-w", "--stdin")
	tree := func(entries string) string { return gitIn(f, entries, "mktree") }
	file := func(name string) string { return fmt.Sprintf("100644 blob %s\t%s\n", blob, name) }
	bomb := tree(file("f"))
	for range 20 {
		var all strings.Builder
		for i := range 20 {
			fmt.Fprintf(&all, "040000 tree %s\td%d\n", bomb, i)
		}
		bomb = tree(all.String())
	}
	message := func(more string) string {
		return "snapshot of job: half\n\nversion 2\nscope changed\nhead " + head + "\nmodes 644 755\n" + more
	}
	commit := func(tree, message string, parents ...string) object.ID {
		args := []string{"commit-tree", tree, "-F", "-"}
		for _, p := range parents {
			args = append(args, "-p", p)
		}
		return object.ID(gitIn(f, message, args...))
	}
	good := tree(file("new"))
	for name, id := range map[string]object.ID{
		"a plain commit":           commit(good, "work", head),
		"an earlier form":          commit(good, strings.Replace(message(""), "version 2", "version 1", 1), head),
		"two parents":              commit(good, message(""), head, string(commit(good, "x"))),
		"no parent":                commit(good, message("")),
		"another head":             commit(good, strings.Replace(message(""), "head "+head, "head "+string(commit(good, "y")), 1), head),
		"an index":                 commit(good, message("index-tree "+good+"\n"), head),
		"the whole worktree":       commit(good, strings.Replace(message(""), "scope changed", "scope whole", 1), head),
		"a folder outside":         commit(good, message("dir 755 \"../../x\"\n"), head),
		"the mode of another file": commit(good, message("mode 777 \"../x\"\n"), head),
		"a mode that gives rights": commit(good, message("mode 4755 \"new\"\n"), head),
		"a submodule":              commit(tree("160000 commit "+head+"\tsub\n"), message(""), head),
		"billions of files":        commit(bomb, message(""), head),
		"git's own folder":         commit(tree("040000 tree "+good+"\t.GIT\n"), message(""), head),
		"a short name of it":       commit(tree("040000 tree "+good+"\tgit~1\n"), message(""), head),
		"backslashes":              commit(tree(file(`..\x`)), message(""), head),
	} {
		if _, _, err := Receive(t.Context(), f.Open(), "job", id); !errors.Is(err, ErrUnusable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if out := f.Git("for-each-ref", "refs/resume/snapshots"); out != "" {
		t.Error("a snapshot was added")
	}
	id := commit(good, message("mode 600 \"new\"\n"), head)
	snap, fresh, err := Receive(t.Context(), f.Open(), "job", id)
	if err != nil || !fresh || snap.Number != 1 || string(snap.Head) != head {
		t.Fatalf("%+v, %v, %v", snap, fresh, err)
	}
	if again, fresh, err := Receive(t.Context(), f.Open(), "job", id); err != nil || fresh || again.Number != 1 {
		t.Errorf("a second time: %+v, %v, %v", again, fresh, err)
	}
}

// gitIn runs git with a text as its input, and returns its output.
func gitIn(f *fixture, text string, args ...string) string {
	f.T.Helper()
	out, err := f.Open().Git(f.T.Context(), process.Call{Args: args, Stdin: strings.NewReader(text), Mode: process.Write})
	if err != nil {
		f.T.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
