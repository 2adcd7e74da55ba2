package ongoing

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
)

func readMerge(x *reading) (Ongoing, bool) {
	if x.files.names["rebase-merge"] || x.files.names["rebase-apply"] {
		return Ongoing{}, false // a merge that a rebase makes is part of the rebase
	}
	o := Ongoing{Branch: x.branch(), Autostash: x.files.ref("MERGE_AUTOSTASH"), Since: x.files.lastChange("MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "index")}
	for line := range strings.Lines(x.files.text("MERGE_HEAD")) {
		if id := strings.TrimSpace(line); object.IsID(id) {
			o.Heads = append(o.Heads, object.ID(id))
		}
	}
	o.Stop, o.Unmerged = x.conflictOr(StopReady)
	if len(o.Heads) > 0 {
		o.Commit = string(o.Heads[0])
	}
	return o, true
}

// readApply reads the state of 'git am', and of a rebase with the apply backend.
func readApply(x *reading) (Ongoing, bool) {
	const dir = "rebase-apply"
	o := Ongoing{
		Dir: dir, Step: x.files.number(dir, "next"), Of: x.files.number(dir, "last"),
		Branch: branchName(x.files.line(dir, "head-name")), Onto: x.files.id(dir, "onto"), Orig: x.files.id(dir, "orig-head"),
		Commit: x.files.line(dir, "original-commit"), Autostash: x.files.id(dir, "autostash"), Since: x.files.lastChange(dir, "index"),
	}
	applying := x.files.has(dir + "/applying")
	if applying {
		o.Branch, o.Orig = x.branch(), x.files.id(dir, "abort-safety")
	}
	if x.branchUnrecorded(dir) {
		o.Unnoted = true
		o.Branch, o.Onto, o.Orig = x.rebasedFrom()
	}
	if o.Commit == "" {
		o.Commit = string(x.files.ref("REBASE_HEAD"))
	}
	o.Stop, o.Unmerged = x.conflictOr(StopReady)
	info, err := os.Stat(x.files.path(dir, "patch"))
	switch {
	case x.clearingApply(&o, dir):
		o.Stop, o.Unmerged = StopClearing, nil
		return o, true
	case o.Of == 0:
		o.Stop = StopTorn
	case o.Step > o.Of:
		o.Stop, o.Step, o.Unmerged = StopMidway, o.Of, nil // every patch is applied, but the branch has not been moved yet
		return o, true
	case o.Stop == StopReady && x.nothingStaged():
		o.Stop = StopPatch
	}
	if applying && o.Of > 0 && err == nil && info.Size() == 0 {
		o.Stop = StopEmptyPatch
		o.Ways = sequencerCommands("am")
		o.Ways.Continue = []string{"am", "--allow-empty"}
	}
	return o, true
}

// nothingStaged reports whether the index has the same content as HEAD.
func (x *reading) nothingStaged() bool {
	_, err := x.repo.Git(x.ctx, process.Call{Args: []string{"diff-index", "--quiet", "--cached", "HEAD", "--"}})
	var git *process.Error
	if errors.As(err, &git) && git.Code > 1 { // the branch has no commit yet, so HEAD has no content
		names, err := x.repo.Git(x.ctx, process.Call{Args: []string{"ls-files"}})
		return err == nil && len(names) == 0
	}
	return err == nil
}

func branchName(text string) refs.Name {
	if ref := refs.Name(text); ref.IsBranch() {
		return ref
	}
	return ""
}

func readRebase(x *reading) (Ongoing, bool) {
	const dir = "rebase-merge"
	o := Ongoing{
		Dir: dir, Step: x.files.number(dir, "msgnum"), Of: x.files.number(dir, "end"),
		Branch: branchName(x.files.line(dir, "head-name")), Onto: x.files.id(dir, "onto"), Orig: x.files.id(dir, "orig-head"),
		Done: ParseCommands(x.files.text(dir, "done")), Todo: ParseCommands(x.files.text(dir, "git-rebase-todo")),
		Autostash: x.autostash(dir), Since: x.files.lastChange(dir, "index"),
	}
	if !x.files.has(dir + "/head-name") { // git has not written head-name yet, or has removed it; in both cases HEAD is on the branch
		o.Branch = x.branch()
	}
	if n := len(o.Done); n > 0 {
		o.Now = o.Done[n-1]
		o.Commit = o.Now.Commit
	}
	if stopped := x.files.line(dir, "stopped-sha"); stopped != "" {
		o.Commit = stopped
	}
	o.Left = len(o.Todo)
	o.Stop, o.Unmerged = x.rebaseStop(&o, dir)
	return o, true
}

// autostash returns the id of the autostash. It is empty if there is no autostash, or if git has not written the file completely.
func (x *reading) autostash(dir string) object.ID { return x.files.id(dir, "autostash") }

func (x *reading) rebaseStop(o *Ongoing, dir string) (Stop, []string) {
	stopped := x.files.line(dir, "stopped-sha")
	switch {
	case x.clearingRebase(o, dir):
		return StopClearing, nil
	case x.files.line(dir, "head-name") == "" || o.Onto == "" || !x.files.has(dir+"/done") && !x.files.has(dir+"/git-rebase-todo"):
		return StopTorn, nil
	case !x.files.has(dir+"/done") && hasComments(x.files.text(dir, "git-rebase-todo")):
		return StopList, nil
	case !x.files.has(dir + "/done"):
		return StopStarting, nil
	case stopped != "" && o.Now.Commit != "" && !strings.HasPrefix(o.Now.Commit, stopped):
		return StopMidway, nil // git had stopped at the previous command, but has already started the next one
	}
	if paths := x.unresolved(); len(paths) > 0 {
		return StopConflict, paths
	}
	amend := x.files.has(dir + "/amend")
	switch {
	case o.Now.Name == "break":
		return StopBreak, nil
	case o.Now.Name == "exec":
		return StopExec, nil
	case o.Now.Name == "edit" && stopped != "" && amend:
		return StopEdit, nil
	// After a conflict, the commit is not made, and "git commit --amend" would change the commit before it.
	case o.Now.Name == "reword" && stopped != "" && (amend || !x.files.has("CHERRY_PICK_HEAD") && strings.Contains(x.lastMove(), "reword)")):
		return StopReword, nil
	case stopped != "":
		return StopReady, nil
	}
	return StopMidway, nil
}

// readPick reads the state of cherry-picks and reverts, whether a single one or several.
func readPick(x *reading) (Ongoing, bool) {
	o := Ongoing{Branch: x.branch(), Since: x.files.lastChange(sequencer, "CHERRY_PICK_HEAD", "REVERT_HEAD", "index")}
	head := x.files.ref("CHERRY_PICK_HEAD")
	switch {
	case head != "":
		o.Op = CherryPick
	case x.files.ref("REVERT_HEAD") != "":
		o.Op, head = Revert, x.files.ref("REVERT_HEAD")
	default:
		o.Op = seriesOperation(x.files.path(sequencer))
	}
	o.Commit = string(head)
	if x.files.names[sequencer] {
		o.Dir = sequencer
		o.Todo = ParseCommands(x.files.text(sequencer, "todo"))
		o.Orig = x.files.id(sequencer, "head")
		o.Left = len(o.Todo)
	}
	if len(o.Todo) > 0 {
		o.Now = o.Todo[0]
		if o.Commit == "" {
			o.Commit = o.Now.Commit
		}
	}
	other := StopReady
	if head == "" {
		other = StopMidway
	}
	o.Stop, o.Unmerged = x.conflictOr(other)
	if x.files.names[sequencer] && len(o.Todo) == 0 && head == "" {
		o.Stop = StopTorn
		if x.clearingPicks(&o) {
			o.Stop = StopClearing
		}
	}
	return o, true
}

func readBisect(x *reading) (Ongoing, bool) {
	o := Ongoing{Stop: StopQuestion, Since: x.files.lastChange("BISECT_LOG", "HEAD")}
	if start := x.files.line("BISECT_START"); start != "" {
		if object.IsID(start) {
			o.Orig = object.ID(start)
		} else {
			o.Branch = refs.Branch(start)
		}
	}
	if _, at, err := x.repo.Refs.Head(x.ctx); err == nil {
		o.Commit = string(at)
	}
	return o, true
}

func readNotesMerge(x *reading) (Ongoing, bool) {
	const dir = "NOTES_MERGE_WORKTREE"
	entries, _ := os.ReadDir(x.files.path(dir))
	if len(entries) == 0 {
		return Ongoing{}, false // git leaves this folder empty when the merge of the notes is done
	}
	o := Ongoing{Dir: dir, Stop: StopConflict, Left: len(entries), Since: x.files.lastChange(dir),
		Commit: string(x.files.ref("NOTES_MERGE_PARTIAL")), Branch: notesRef(x)}
	for _, e := range entries {
		o.Unmerged = append(o.Unmerged, dir+"/"+e.Name())
	}
	return o, true
}

// notesRef returns the ref into which notes are being merged. With reftables, only git can read it.
func notesRef(x *reading) refs.Name {
	if to, ok := strings.CutPrefix(x.files.line("NOTES_MERGE_REF"), "ref: "); ok {
		return refs.Name(to)
	}
	to, _ := x.repo.Line(x.ctx, "symbolic-ref", "-q", "NOTES_MERGE_REF")
	return refs.Name(to)
}

// readUnmerged reads an operation that leaves only unmerged paths. Without such paths there is no operation.
func readUnmerged(x *reading) (Ongoing, bool) {
	paths := x.unresolved()
	if len(paths) == 0 {
		return Ongoing{}, false
	}
	return Ongoing{Stop: StopConflict, Unmerged: paths, Branch: x.branch(), Since: x.files.lastChange("SQUASH_MSG", "AUTO_MERGE", "index")}, true
}

// filterBranch finds an interrupted filter-branch by the working folder that it left in the worktree.
func (x *reading) filterBranch() (Ongoing, bool) {
	const dir = ".git-rewrite"
	if x.repo.WorkTree == "" {
		return Ongoing{}, false
	}
	path := filepath.Join(x.repo.WorkTree, dir)
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return Ongoing{}, false
	}
	return Ongoing{Op: FilterBranch, Stop: StopLeft, Files: []string{path}, Since: info.ModTime(), Branch: x.branch()}, true
}
