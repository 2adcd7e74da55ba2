package repair

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/internal/sources/gitops"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree"
)

// repair changes git's state files so that they match the real state of the repository, and git can continue. After an interruption,
// repair can run again.
func (x *operator) repair(ctx context.Context) error {
	c := x.s.Crash
	x.out.Repaired = c.Repair
	switch c.Repair {
	case gitops.RepairPutBack:
		if err := x.resetTo(ctx, "HEAD", c.Lost); err != nil {
			return err
		}
		if x.s.Dir == "rebase-merge" {
			return x.putBack(ctx, c)
		}
		return x.edit("todo", func(text string) string { return c.Command.Line + "\n" + text })
	case gitops.RepairRewind:
		// Put the command back into the todo list before HEAD moves. Otherwise a crash between the two steps could lose the command.
		if err := x.putBack(ctx, c); err != nil {
			return err
		}
		return x.resetTo(ctx, string(c.To), c.Lost)
	case gitops.RepairRecord:
		return x.recordRewritten(c)
	case gitops.RepairBegin:
		return x.moveToStart(ctx, c)
	case gitops.RepairMessage:
		return x.writeMessage(ctx)
	case gitops.RepairFinish:
		switch {
		case x.s.Dir == "rebase-apply":
			return x.finishPatches(ctx)
		case x.s.Op == ongoing.Rebase:
			return x.finish(ctx, c)
		}
	}
	return nil
}

// writeMessage writes the commit message that git itself would have written for a merge.
func (x *operator) writeMessage(ctx context.Context) error {
	var heads strings.Builder
	for _, id := range x.s.Heads {
		names, err := x.repo.Line(ctx, "for-each-ref", "--format=%(refname:short)", "--points-at="+string(id), "refs/heads")
		if err != nil {
			return err
		}
		name, _ := cutLine(names)
		if name == "" {
			fmt.Fprintf(&heads, "%s\t\tcommit '%s'\n", id, id)
		} else {
			fmt.Fprintf(&heads, "%s\t\tbranch '%s' of .\n", id, name)
		}
	}
	text, err := x.repo.Git(ctx, process.Call{Args: []string{"fmt-merge-msg"}, Stdin: strings.NewReader(heads.String())})
	if err != nil {
		return fmt.Errorf("write the message of the merge: %w", err)
	}
	return x.repo.Guard.Replace(x.path("MERGE_MSG"), text)
}

// noteBranch writes the files that git writes when a patch-based rebase stops for the first time.
// It writes head-name last, because an interrupted repair is repeated as long as this file is missing.
func (x *operator) noteBranch() error {
	branch := string(x.s.Branch)
	if branch == "" {
		branch = "detached HEAD"
	}
	for _, f := range [][2]string{{"onto", string(x.s.Onto)}, {"orig-head", string(x.s.Orig)}, {"head-name", branch}} {
		if err := x.repo.Guard.Replace(x.path(f[0]), []byte(f[1]+"\n")); err != nil {
			return err
		}
	}
	return nil
}

// finish lets git end a rebase whose branch has already moved. Git expects that the branch still points to orig-head.
// So finish writes the new commit into orig-head.
func (x *operator) finish(ctx context.Context, c gitops.Crash) error {
	if x.notesMoved(ctx, "rewritten-list") {
		// Git has already copied the notes to the new commits. Remove the list, so that git does not copy them again.
		if err := removeFile(x.path("rewritten-list")); err != nil {
			return err
		}
	}
	return x.edit("orig-head", func(string) string { return string(c.To) + "\n" })
}

// finishPatches lets git end a patch-based rebase that was killed after its last patch.
// At this point git refuses to continue, and "git rebase --skip" crashes. So finishPatches makes the last patch the current one again.
// Then "git rebase --skip" records its result and ends the rebase.
func (x *operator) finishPatches(ctx context.Context) error {
	const list, at = "rewritten", "original-commit"
	pairs := strings.TrimRight(ongoing.Text(x.path(list)), "\n")
	keep := pairs[:strings.LastIndex(pairs, "\n")+1]
	last, _, found := strings.Cut(pairs[len(keep):], " ")
	if !found || x.notesMoved(ctx, list) {
		// Git writes the pair "last HEAD" into its list, and then copies the notes of "last" to HEAD. No notes are left to copy, so let
		// "last" be the commit that is HEAD: git copies nothing between equal commits.
		keep, last = "", string(x.s.Crash.To)
	}
	if begun := strings.TrimSpace(ongoing.Text(x.path(at))); begun != "" && begun != last {
		return nil // an earlier repair has already changed the files "original-commit" and "rewritten"
	}
	if err := x.edit(at, func(string) string { return last + "\n" }); err != nil {
		return err
	}
	return x.edit(list, func(string) string { return keep })
}

// notesMoved reports whether git has already copied a note to one of the new commits.
func (x *operator) notesMoved(ctx context.Context, list string) bool {
	config, err := x.repo.Settings.Config(ctx)
	if err != nil {
		return false
	}
	notes, err := x.repo.Refs.List(ctx, config.All("notes.rewriteref")...)
	if err != nil || len(config.All("notes.rewriteref")) == 0 {
		return false
	}
	for line := range strings.Lines(ongoing.Text(x.path(list))) {
		pair := strings.Fields(line)
		for ref := range notes {
			if len(pair) != 2 || pair[0] == pair[1] {
				continue
			}
			if _, err := x.repo.Line(ctx, "notes", "--ref="+string(ref), "list", pair[1]); err == nil {
				return true
			}
		}
	}
	return false
}

// edit replaces one of the operation's files, or removes it if the new text is empty.
func (x *operator) edit(name string, change func(string) string) error {
	path := x.path(name)
	text, err := ongoing.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	now := change(string(text))
	if now == "" {
		return removeFile(path)
	}
	return x.repo.Guard.Replace(path, []byte(now))
}

func (x *operator) path(name string) string { return filepath.Join(x.repo.GitDir, x.s.Dir, name) }

func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// putBack restores the todo and done lists of a rebase as they were before the interrupted command started.
func (x *operator) putBack(ctx context.Context, c gitops.Crash) error {
	if c.Command.Melds() {
		if err := x.removeFromSquash(ctx, c); err != nil {
			return err
		}
	}
	line := c.Command.Line + "\n"
	if err := x.edit("git-rebase-todo", func(text string) string {
		if strings.HasPrefix(text, line) && !c.Unlisted {
			return text
		}
		return line + text
	}); err != nil {
		return err
	}
	for _, stale := range []string{"stopped-sha", "amend"} { // remove the outdated files that git wrote when it last stopped
		if err := removeFile(x.path(stale)); err != nil {
			return err
		}
	}
	if c.Unlisted {
		return nil
	}
	return x.edit("done", func(text string) string { return strings.TrimSuffix(text, line) })
}

// removeFromSquash removes the message of the interrupted commit from the message that git collects for a squash.
func (x *operator) removeFromSquash(ctx context.Context, c gitops.Crash) error {
	lines := strings.Split(strings.TrimRight(ongoing.Text(x.path("current-fixups")), "\n"), "\n")
	if last := lines[len(lines)-1]; !strings.HasSuffix(last, string(c.Lost.ID)) {
		return nil // git had not yet added the message of this commit to the combined message
	}
	if len(lines) == 1 {
		return x.forgetMeld()
	}
	head, err := x.repo.Objects.Object(ctx, "HEAD")
	if err != nil {
		return err
	}
	_, message, ok := bytes.Cut(head.Data, []byte("\n\n"))
	collected := ongoing.Text(x.path("message-squash"))
	_, body, _ := strings.Cut(string(message), "\n")
	if !ok || body == "" || !strings.Contains(collected, strings.TrimRight(body, "\n")) {
		return errors.New("the message that git collects for the squash, in the file message-squash, does not match the message of HEAD")
	}
	if err := x.repo.Guard.Replace(x.path("message-squash"), message); err != nil {
		return err
	}
	return x.repo.Guard.Replace(x.path("current-fixups"), []byte(strings.Join(lines[:len(lines)-1], "\n")))
}

func (x *operator) forgetMeld() error {
	for _, name := range []string{"current-fixups", "message-squash", "message-fixup"} {
		if err := removeFile(x.path(name)); err != nil {
			return err
		}
	}
	return nil
}

// recordRewritten records which old commit became which new commit, as git does after each step. Git uses this list to copy notes.
func (x *operator) recordRewritten(c gitops.Crash) error {
	if err := x.edit("rewritten-pending", func(text string) string { return text + string(c.Lost.ID) + "\n" }); err != nil {
		return err
	}
	if len(x.s.Todo) > 0 && x.s.Todo[0].Melds() {
		return nil
	}
	head, err := x.repo.Refs.Ref(context.Background(), "HEAD")
	if err != nil {
		return err
	}
	err = x.edit("rewritten-list", func(text string) string {
		for old := range strings.FieldsSeq(ongoing.Text(x.path("rewritten-pending"))) {
			text += old + " " + string(head) + "\n"
		}
		return text
	})
	if err != nil {
		return err
	}
	if err := removeFile(x.path("rewritten-pending")); err != nil {
		return err
	}
	return x.forgetMeld()
}

// moveToStart resets the files, and moves a detached HEAD to the commit where the rebase starts. The branch stays where it is.
func (x *operator) moveToStart(ctx context.Context, c gitops.Crash) error {
	to, err := x.repo.Objects.Commit(ctx, string(c.To))
	if err != nil {
		return err
	}
	if err := x.resetTo(ctx, "HEAD", to); err != nil {
		return err
	}
	_, err = x.git(ctx, "-c", "advice.detachedHead=false", "checkout", "-q", "--detach", string(c.To))
	return err
}

func (x *operator) git(ctx context.Context, args ...string) ([]byte, error) {
	locks := []string{filepath.Join(x.repo.GitDir, "index.lock"), filepath.Join(x.repo.GitDir, "HEAD.lock")}
	return x.repo.Git(ctx, process.Call{Args: args, Mode: process.Write, Locks: locks})
}

// resetTo resets the index and the files to a commit, if all uncommitted work is in the snapshot. It also removes untracked files that
// the killed step had started to write, because they would make the repeated step fail.
func (x *operator) resetTo(ctx context.Context, to string, written object.Commit) error {
	if tasks.HasUnsaved(x.out.Snapshot.Left) {
		return errors.New("not all uncommitted changes could be saved")
	}
	if _, err := x.git(ctx, "reset", "-q", "--hard", to); err != nil {
		return err
	}
	changes, err := x.repo.Status(ctx)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if !c.Untracked() || !x.isLeftover(ctx, c.Path, written) {
			continue
		}
		if !slices.Contains(x.out.Snapshot.Paths, c.Path) {
			return fmt.Errorf("'%s' appeared after the snapshot", c.Path)
		}
		if err := os.Remove(filepath.Join(x.repo.WorkTree, filepath.FromSlash(c.Path))); err != nil {
			return err
		}
		x.out.Cleared = append(x.out.Cleared, c.Path)
	}
	return nil
}

// isLeftover reports whether the killed git wrote a file. It returns true for a temporary file of git. It also returns true for a file that
// has the same content as in the commit that git was applying, or the beginning of that content.
func (x *operator) isLeftover(ctx context.Context, path string, written object.Commit) bool {
	if strings.HasPrefix(path, ".merge_file_") {
		return true
	}
	if written.ID == "" {
		return false
	}
	full := filepath.Join(x.repo.WorkTree, filepath.FromSlash(path))
	info, err := os.Lstat(full)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	blob, err := x.repo.Git(ctx, process.Call{Args: []string{"cat-file", "--filters", string(written.ID) + ":" + path}})
	if err != nil {
		return false // perhaps the commit does not contain this file
	}
	data, err := os.ReadFile(full)
	return err == nil && bytes.HasPrefix(blob, data)
}

// shelveFolder moves the folders that git left behind into the trash.
func (x *operator) shelveFolder() error {
	for _, from := range x.s.Files {
		if filepath.Ext(from) == ".lock" {
			continue
		}
		if err := x.shelve(from); err != nil {
			return err
		}
	}
	return nil
}

// shelve moves a folder into the trash with a single rename, so that a kill cannot leave it half moved.
func (x *operator) shelve(from string) error {
	to := x.Repo.CommonPath("resume", "trash", fmt.Sprintf("%s-%x", x.s.Op, x.Random()))
	if err := dotgit.MkdirAll(filepath.Dir(to)); err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return fmt.Errorf("move '%s' aside: %w", from, err)
	}
	x.out.Aside[from] = to
	return nil
}

// clearIncompleteWorktree moves an incomplete worktree and its registration aside. A complete worktree is only unlocked.
func (x *operator) clearIncompleteWorktree(ctx context.Context) error {
	if x.s.Whole {
		return x.run(ctx, x.way())
	}
	to, err := worktree.Shelve(ctx, x.Repo, x.s.Tree.GitDir, x.Now)
	x.out.Aside[x.s.Tree.WorkTree] = to
	return err
}

func cutLine(text string) (line, rest string) {
	line, rest, _ = strings.Cut(text, "\n")
	return line, rest
}
