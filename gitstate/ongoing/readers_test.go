package ongoing

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/gittest"
)

// FuzzOngoing writes arbitrary text into the state files of operations, and checks that the numbers and ids that are read from them are
// possible.
func FuzzOngoing(f *testing.F) {
	f.Add("rebase-merge", "refs/heads/topic\n", "pick 123 x\nexec make\n", "7")
	f.Add("rebase-apply", "\x00\xff", "From: \n\n", "99999999999999999999")
	f.Add("MERGE_HEAD", someID, "Merge branch 'x'\n", "-1")
	f.Add("sequencer", "todo", "revert abc y", "\x1b[31m")
	f.Add("BISECT_LOG", "git bisect start\n", "good", "bad")
	r := gittest.Git{}.Fresh(f, "repo")
	place := locate.Place{CommonDir: filepath.Join(r.Dir, ".git"), WorkTree: r.Dir}
	f.Fuzz(func(t *testing.T, kind, one, two, three string) {
		dir := t.TempDir()
		folder := map[string]bool{"rebase-merge": true, "rebase-apply": true, "sequencer": true, "NOTES_MERGE_WORKTREE": true}
		names := []string{"MERGE_HEAD", "MERGE_MSG", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "BISECT_START", "NOTES_MERGE_PARTIAL", "AUTO_MERGE", "ORIG_HEAD"}
		if folder[kind] {
			names = []string{"head-name", "onto", "orig-head", "git-rebase-todo", "done", "msgnum", "end", "next", "last", "message", "stopped-sha", "amend", "todo", "head", "opts", "applying", "rebasing", "author-script", "interactive"}
			dir = filepath.Join(dir, kind)
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for i, name := range names {
			text := []string{one, two, three, ""}[(i+len(one))%4]
			if text == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		at := place
		if at.GitDir = dir; folder[kind] {
			at.GitDir = filepath.Dir(dir)
		}
		x := &reading{ctx: t.Context(), repo: gitstate.Open(at, nil), asked: true, files: &files{dir: at.GitDir, names: map[string]bool{}}}
		entries, err := os.ReadDir(at.GitDir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			x.files.names[e.Name()] = true
		}
		readers := []func(*reading) (Ongoing, bool){readMerge, readRebase, readPick, readBisect, readNotesMerge}
		if kind == "rebase-apply" {
			readers = append(readers, readApply) // call readApply only for the files of rebase-apply, because it starts git, which is slow
		}
		for _, read := range readers {
			o, ok := read(x)
			if !ok {
				continue
			}
			if o.Step < 0 || o.Of < 0 || o.Left < 0 {
				t.Fatalf("%s: step %d of %d, %d left", o.Op, o.Step, o.Of, o.Left)
			}
			for _, id := range append([]object.ID{o.Onto, o.Orig, o.Autostash}, o.Heads...) {
				if id != "" && !object.IsID(string(id)) {
					t.Fatalf("%s names %q", o.Op, id)
				}
			}
		}
	})
}
