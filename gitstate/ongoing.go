package gitstate

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Stop says where an operation stands.
type Stop string

// The stops. Only what git's files say counts here: whether a process is at work is another question.
const (
	// StopConflict: git asked for help with paths; Ongoing.Unmerged are those that are left.
	StopConflict Stop = "conflict"
	// StopEdit and StopBreak are stops that the user asked for.
	StopEdit  Stop = "edit"
	StopBreak Stop = "break"
	// StopReword: the commit is made, and its message was not accepted.
	StopReword Stop = "reword"
	// StopExec: a command failed or was cut off; git cannot tell which.
	StopExec Stop = "exec"
	// StopStarting: the list is written and nothing of it done.
	StopStarting Stop = "starting"
	// StopList: the user was still to change the list, or was doing so.
	StopList Stop = "list"
	// StopTorn: cut off so early that git can only forget it.
	StopTorn Stop = "torn"
	// StopClearing: it had ended, and git was removing its notes; Ongoing.Ended says how.
	StopClearing Stop = "clearing"
	// StopPatch: a patch does not apply, or was not tried yet; nothing of it was taken.
	StopPatch Stop = "patch"
	// StopEmptyPatch: a patch that changes nothing.
	StopEmptyPatch Stop = "empty patch"
	// StopMidway: in the middle of a step, at a point where git never rests.
	StopMidway Stop = "midway"
	// StopReady: nothing is unresolved; git waits to be told to go on.
	StopReady Stop = "ready"
	// StopQuestion: the user must say what a bisect cannot know.
	StopQuestion Stop = "question"
	// StopLeft: left behind by a process that is gone.
	StopLeft Stop = "left"
)

// Ongoing is one operation in one worktree, as its files tell.
type Ongoing struct {
	Op   Operation
	Stop Stop
	// Dir is the folder of its state, below the git dir; empty where it has none.
	Dir string
	// Step and Of say how far it is; Of is zero where git does not record it, Left then counts what remains.
	Step, Of, Left int
	// Branch is the full name of the branch that it works for; empty if HEAD was detached.
	Branch string
	// Onto is where a rebase goes, Orig where it came from.
	Onto, Orig OID
	// Unnoted: a rebase by patches was killed before its first stop, when git notes its branch and where it goes.
	// They are read from HEAD's log then; Orig is empty where that does not tell.
	Unnoted bool
	// Commit is the commit in question, as git wrote it; it may be shortened.
	Commit string
	// Now is the command that was begun last; Done and Todo are what was begun, and what comes.
	Now        Command
	Done, Todo []Command
	// Heads are what is being merged.
	Heads []OID
	// Unmerged are the paths that are not resolved.
	Unmerged []string
	// Autostash is what git put aside before it began.
	Autostash OID
	// Since is when its files last changed.
	Since time.Time
	// Ended is how it had ended, with StopClearing.
	Ended Ended
	// Files are lock files and folders that were left behind.
	Files []string
	Ways  Ways
}

// InAll reads what is under way in each of the worktrees, by their git dirs.
// Where nothing is, no process is started; only where refs are kept in tables one is, for all worktrees together.
func InAll(ctx context.Context, r *Repo, trees []Place) (map[string][]Ongoing, error) {
	tables, err := pseudoRefs(ctx, r, trees)
	if err != nil {
		return nil, err
	}
	out := map[string][]Ongoing{}
	shared := r.Guard.RefLocks()
	for _, p := range trees {
		entries, err := os.ReadDir(p.GitDir)
		if err != nil {
			continue // not a worktree any more
		}
		x := &reading{ctx: ctx, repo: r.At(p), names: map[string]bool{}, refs: tables[p.GitDir]}
		for _, e := range entries {
			x.names[e.Name()] = true
		}
		if p.GitDir == p.CommonDir {
			x.shared = shared
		}
		found, err := x.all()
		x.repo.Close()
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			out[p.GitDir] = found
		}
	}
	return out, nil
}

// In reads what is under way in this worktree.
func In(ctx context.Context, r *Repo) ([]Ongoing, error) {
	all, err := InAll(ctx, r, []Place{r.Place})
	return all[r.GitDir], err
}

// pseudoRefs asks git for the marks that are no files where refs are kept in tables: one call for all worktrees.
func pseudoRefs(ctx context.Context, r *Repo, trees []Place) (map[string]map[string]OID, error) {
	if !r.Refs.inTables() {
		return nil, nil
	}
	var names []string
	for _, p := range trees {
		prefix := "main-worktree/"
		if p.GitDir != p.CommonDir {
			prefix = "worktrees/" + filepath.Base(p.GitDir) + "/"
		}
		for _, name := range pseudo {
			names = append(names, prefix+name)
		}
	}
	out, err := r.Git(ctx, Call{Args: []string{"cat-file", "--batch-check=%(objectname)"}, Stdin: strings.NewReader(strings.Join(names, "\n") + "\n")})
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(out), "\n")
	found := map[string]map[string]OID{}
	for i, p := range trees {
		found[p.GitDir] = map[string]OID{}
		for j, name := range pseudo {
			if k := i*len(pseudo) + j; k < len(lines) && IsOID(lines[k]) {
				found[p.GitDir][name] = OID(lines[k])
			}
		}
	}
	return found, nil
}

// pseudo are the names that are files in some repositories and entries of a table in others.
var pseudo = []string{"CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "AUTO_MERGE", "MERGE_AUTOSTASH", "NOTES_MERGE_PARTIAL"}

// reading is a look at one worktree.
type reading struct {
	ctx  context.Context
	repo *Repo
	// names are what is in the git dir, refs what a table holds instead.
	names map[string]bool
	refs  map[string]OID
	// shared are locks that belong to no worktree alone; the main one tells of them.
	shared []string

	unmerged []string
	asked    bool
	moved    *string // what HEAD's log says last, once it was looked at
	err      error
}

// all goes through the table.
func (x *reading) all() ([]Ongoing, error) {
	var out []Ongoing
	found := map[Operation]bool{}
	busy := false // one of git's own is under way: what follows is a part of it
	for _, m := range marks {
		if !x.has(m.file) || busy && m.op != Bisect && m.op != NotesMerge {
			continue
		}
		o, ok := m.read(x)
		if x.err != nil {
			return nil, x.err
		}
		if !ok {
			continue
		}
		if o.Op == "" {
			o.Op = m.op
		}
		if o.Ways.Continue == nil && o.Ways.Abort == nil {
			o.Ways = wayOf(o.Op, m)
		}
		busy = busy || m.op != Bisect && m.op != NotesMerge
		if !found[o.Op] {
			out = append(out, o)
		}
		found[o.Op] = true
	}
	if o, ok := x.filterBranch(); ok {
		out = append(out, o)
	}
	locks := append(x.ownLocks(), x.shared...)
	slices.Sort(locks)
	switch locks = slices.Compact(locks); {
	case len(locks) == 0:
	case len(out) > 0 && out[0].Stop != StopQuestion && out[0].Op != FilterBranch:
		out[0].Files = append(out[0].Files, locks...) // left by whoever was in the middle of it
	default:
		out = append(out, x.locked(locks))
	}
	return out, x.err
}

// wayOf gives the commands of an operation: a series of reverts is seen by the same mark as one of picks.
func wayOf(op Operation, m mark) Ways {
	if op != m.op {
		return waysOf(string(op))
	}
	return m.ways
}

func (x *reading) has(file string) bool {
	top, rest, deep := strings.Cut(file, "/")
	if id := x.refs[top]; id != "" {
		return true
	}
	if !x.names[top] {
		return false
	}
	if !deep {
		return true
	}
	_, err := os.Lstat(x.path(top, rest))
	return err == nil
}

func (x *reading) path(elem ...string) string {
	return filepath.Join(append([]string{x.repo.GitDir}, elem...)...)
}

// text reads a small file of the git dir; empty if it is not there.
func (x *reading) text(elem ...string) string {
	const most = 8 << 20
	info, err := os.Stat(x.path(elem...))
	if err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return ""
	}
	data, _ := readFile(x.path(elem...))
	return string(data)
}

func (x *reading) line(elem ...string) string {
	first, _, _ := strings.Cut(x.text(elem...), "\n")
	return strings.TrimRight(first, "\r")
}

func (x *reading) number(elem ...string) int {
	n, _ := strconv.Atoi(x.line(elem...))
	return max(n, 0)
}

func (x *reading) id(elem ...string) OID {
	if id := x.line(elem...); IsOID(id) {
		return OID(id)
	}
	return ""
}

// ref is the commit of a mark that is a file or an entry of a table.
func (x *reading) ref(name string) OID {
	if id := x.refs[name]; id != "" {
		return id
	}
	return x.id(name)
}

// newest is when one of these files, or a file in one of these folders, last changed.
func (x *reading) newest(names ...string) time.Time {
	var last time.Time
	note := func(info fs.FileInfo, err error) {
		if err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	for _, name := range names {
		path := x.path(name)
		note(os.Lstat(path))
		entries, _ := os.ReadDir(path) // a file has none
		for _, e := range entries {
			note(e.Info())
		}
	}
	return last
}

// unresolved are the unmerged paths; git is asked once, and only if there may be some.
func (x *reading) unresolved() []string {
	if x.asked {
		return x.unmerged
	}
	x.asked = true
	if x.repo.WorkTree == "" || indexIsMerged(x.repo) {
		return nil
	}
	out, err := x.repo.Git(x.ctx, Call{Args: []string{"ls-files", "-u", "-z", "--full-name"}})
	if err != nil {
		x.err = err
		return nil
	}
	for rec := range strings.SplitSeq(string(out), "\x00") {
		if _, path, ok := strings.Cut(rec, "\t"); ok {
			x.unmerged = append(x.unmerged, path)
		}
	}
	x.unmerged = slices.Compact(x.unmerged) // each stage has a line
	return x.unmerged
}

// conflictOr is the stop of an operation that waits for paths to be resolved, or for something else.
func (x *reading) conflictOr(other Stop) (Stop, []string) {
	if paths := x.unresolved(); len(paths) > 0 {
		return StopConflict, paths
	}
	return other, nil
}

func (x *reading) branch() string {
	branch, _, _ := x.repo.Refs.Head(x.ctx)
	return branch
}

func readMerge(x *reading) (Ongoing, bool) {
	if x.names["rebase-merge"] || x.names["rebase-apply"] {
		return Ongoing{}, false // a merge that a rebase makes is a part of it
	}
	o := Ongoing{Branch: x.branch(), Autostash: x.ref("MERGE_AUTOSTASH"), Since: x.newest("MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "index")}
	for line := range strings.Lines(x.text("MERGE_HEAD")) {
		if id := strings.TrimSpace(line); IsOID(id) {
			o.Heads = append(o.Heads, OID(id))
		}
	}
	o.Stop, o.Unmerged = x.conflictOr(StopReady)
	if len(o.Heads) > 0 {
		o.Commit = string(o.Heads[0])
	}
	return o, true
}

// readApply reads the state of am, and of a rebase that goes by patches.
func readApply(x *reading) (Ongoing, bool) {
	const dir = "rebase-apply"
	o := Ongoing{
		Dir: dir, Step: x.number(dir, "next"), Of: x.number(dir, "last"),
		Branch: branchName(x.line(dir, "head-name")), Onto: x.id(dir, "onto"), Orig: x.id(dir, "orig-head"),
		Commit: x.line(dir, "original-commit"), Autostash: x.id(dir, "autostash"), Since: x.newest(dir, "index"),
	}
	applying := x.has(dir + "/applying")
	if applying {
		o.Branch, o.Orig = x.branch(), x.id(dir, "abort-safety")
	}
	if x.unnoted(dir) {
		o.Unnoted = true
		o.Branch, o.Onto, o.Orig = x.rebasedFrom()
	}
	if o.Commit == "" {
		o.Commit = string(x.ref("REBASE_HEAD"))
	}
	o.Stop, o.Unmerged = x.conflictOr(StopReady)
	info, err := os.Stat(x.path(dir, "patch"))
	switch {
	case x.clearingApply(&o, dir):
		o.Stop, o.Unmerged = StopClearing, nil
		return o, true
	case o.Of == 0:
		o.Stop = StopTorn
	case o.Step > o.Of:
		o.Stop, o.Step, o.Unmerged = StopMidway, o.Of, nil // every patch is in, and the branch was not moved yet
		return o, true
	case o.Stop == StopReady && x.nothingStaged():
		o.Stop = StopPatch
	}
	if applying && o.Of > 0 && err == nil && info.Size() == 0 {
		o.Stop = StopEmptyPatch
		o.Ways = waysOf("am")
		o.Ways.Continue = []string{"am", "--allow-empty"}
	}
	return o, true
}

// nothingStaged reports whether the index holds exactly what HEAD does.
func (x *reading) nothingStaged() bool {
	_, err := x.repo.Git(x.ctx, Call{Args: []string{"diff-index", "--quiet", "--cached", "HEAD", "--"}})
	return err == nil
}

func branchName(text string) string {
	if strings.HasPrefix(text, "refs/heads/") {
		return text
	}
	return ""
}

func readRebase(x *reading) (Ongoing, bool) {
	const dir = "rebase-merge"
	o := Ongoing{
		Dir: dir, Step: x.number(dir, "msgnum"), Of: x.number(dir, "end"),
		Branch: branchName(x.line(dir, "head-name")), Onto: x.id(dir, "onto"), Orig: x.id(dir, "orig-head"),
		Done: ParseCommands(x.text(dir, "done")), Todo: ParseCommands(x.text(dir, "git-rebase-todo")),
		Autostash: x.autostash(dir), Since: x.newest(dir, "index"),
	}
	if !x.has(dir + "/head-name") { // not written yet, or removed again: HEAD is on its branch then
		o.Branch = x.branch()
	}
	if n := len(o.Done); n > 0 {
		o.Now = o.Done[n-1]
		o.Commit = o.Now.Commit
	}
	if stopped := x.line(dir, "stopped-sha"); stopped != "" {
		o.Commit = stopped
	}
	o.Left = len(o.Todo)
	o.Stop, o.Unmerged = x.rebaseStop(&o, dir)
	return o, true
}

// autostash may be kept as an id, or, before it is complete, as nothing at all.
func (x *reading) autostash(dir string) OID { return x.id(dir, "autostash") }

func (x *reading) rebaseStop(o *Ongoing, dir string) (Stop, []string) {
	stopped := x.line(dir, "stopped-sha")
	switch {
	case x.clearingRebase(o, dir):
		return StopClearing, nil
	case x.line(dir, "head-name") == "" || o.Onto == "" || !x.has(dir+"/done") && !x.has(dir+"/git-rebase-todo"):
		return StopTorn, nil
	case !x.has(dir+"/done") && hasComments(x.text(dir, "git-rebase-todo")):
		return StopList, nil
	case !x.has(dir + "/done"):
		return StopStarting, nil
	case stopped != "" && o.Now.Commit != "" && !strings.HasPrefix(o.Now.Commit, stopped):
		return StopMidway, nil // the stop was one before; the next command was begun since
	}
	if paths := x.unresolved(); len(paths) > 0 {
		return StopConflict, paths
	}
	amend := x.has(dir + "/amend")
	switch {
	case o.Now.Name == "break":
		return StopBreak, nil
	case o.Now.Name == "exec":
		return StopExec, nil
	case o.Now.Name == "edit" && stopped != "" && amend:
		return StopEdit, nil
	case o.Now.Name == "reword" && stopped != "":
		return StopReword, nil
	case stopped != "":
		return StopReady, nil
	}
	return StopMidway, nil
}

// readPick reads picks and reverts, one or a series.
func readPick(x *reading) (Ongoing, bool) {
	o := Ongoing{Branch: x.branch(), Since: x.newest(sequencer, "CHERRY_PICK_HEAD", "REVERT_HEAD", "index")}
	head := x.ref("CHERRY_PICK_HEAD")
	switch {
	case head != "":
		o.Op = CherryPick
	case x.ref("REVERT_HEAD") != "":
		o.Op, head = Revert, x.ref("REVERT_HEAD")
	default:
		o.Op = series(x.path(sequencer))
	}
	o.Commit = string(head)
	if x.names[sequencer] {
		o.Dir = sequencer
		o.Todo = ParseCommands(x.text(sequencer, "todo"))
		o.Orig = x.id(sequencer, "head")
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
	if x.names[sequencer] && len(o.Todo) == 0 && head == "" {
		o.Stop = StopTorn
		if x.clearingPicks(&o) {
			o.Stop = StopClearing
		}
	}
	return o, true
}

func readBisect(x *reading) (Ongoing, bool) {
	o := Ongoing{Stop: StopQuestion, Since: x.newest("BISECT_LOG", "HEAD")}
	if start := x.line("BISECT_START"); start != "" {
		if IsOID(start) {
			o.Orig = OID(start)
		} else {
			o.Branch = "refs/heads/" + start
		}
	}
	if _, at, err := x.repo.Refs.Head(x.ctx); err == nil {
		o.Commit = string(at)
	}
	return o, true
}

func readNotesMerge(x *reading) (Ongoing, bool) {
	const dir = "NOTES_MERGE_WORKTREE"
	entries, _ := os.ReadDir(x.path(dir))
	if len(entries) == 0 {
		return Ongoing{}, false // git leaves the empty folder behind when it is done
	}
	o := Ongoing{Dir: dir, Stop: StopConflict, Left: len(entries), Since: x.newest(dir),
		Commit: string(x.ref("NOTES_MERGE_PARTIAL")), Branch: notesRef(x)}
	for _, e := range entries {
		o.Unmerged = append(o.Unmerged, dir+"/"+e.Name())
	}
	return o, true
}

// notesRef is the ref into which notes are being merged; where refs are kept in tables git must be asked for it.
func notesRef(x *reading) string {
	if to, ok := strings.CutPrefix(x.line("NOTES_MERGE_REF"), "ref: "); ok {
		return to
	}
	to, _ := x.repo.Line(x.ctx, "symbolic-ref", "-q", "NOTES_MERGE_REF")
	return to
}

// readUnmerged is for what leaves nothing but unmerged paths; a mark without them is of no meaning.
func readUnmerged(x *reading) (Ongoing, bool) {
	paths := x.unresolved()
	if len(paths) == 0 {
		return Ongoing{}, false
	}
	return Ongoing{Stop: StopConflict, Unmerged: paths, Branch: x.branch(), Since: x.newest("SQUASH_MSG", "AUTO_MERGE", "index")}, true
}

// filterBranch sees the folder in which an interrupted filter-branch worked.
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
