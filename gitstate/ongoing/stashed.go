package ongoing

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// readStash reads a "stash pop" that stopped at conflicts. Other operations leave the same files, so it compares the conflicting files
// with each stash. If no stash has these files, the operation is a FilesMerge.
func readStash(x *reading) (Ongoing, bool) {
	o, ok := readUnmerged(x)
	if !ok {
		return o, false
	}
	o.Op, o.Ways.Abort = FilesMerge, []string{"reset", "--merge"}
	name, id := x.stashOf(o.Unmerged)
	if name != "" {
		// Name the stash, because "stash drop" without a name drops the newest stash, which may be another one.
		o.Op, o.Commit, o.Ways.Continue = StashPop, string(id), []string{"stash", "drop", name}
	}
	return o, true
}

// stashOf finds the stash that contains the files of stage 3 ("theirs") of the unmerged paths. Both results are empty if there is no such
// stash.
func (x *reading) stashOf(paths []string) (name string, id object.ID) {
	theirs, err := x.theirObjects()
	if err != nil {
		return "", ""
	}
	list, err := x.repo.Git(x.ctx, process.Call{Args: []string{"log", "-g", "--format=%H", "refs/stash", "--"}})
	if err != nil {
		return "", "" // most often, git fails here because there is no stash
	}
	for i, commit := range strings.Fields(string(list)) { // count the stashes here, because with log.date set git names a stash by its time
		if x.hasFiles(commit, paths, theirs) {
			return fmt.Sprintf("stash@{%d}", i), object.ID(commit)
		}
	}
	return "", ""
}

// theirObjects maps each unmerged path to the object of its stage 3 ("theirs"), if it has one.
func (x *reading) theirObjects() (map[string]string, error) {
	out, err := x.repo.Git(x.ctx, process.Call{Args: []string{"ls-files", "-u", "-z", "--full-name"}})
	if err != nil {
		return nil, err
	}
	theirs := map[string]string{}
	for rec := range strings.SplitSeq(string(out), "\x00") {
		entry, path, _ := strings.Cut(rec, "\t")
		if f := strings.Fields(entry); len(f) == 3 && f[2] == "3" {
			theirs[path] = f[1]
		}
	}
	return theirs, nil
}

// hasFiles reports whether a commit has exactly the given objects at the paths.
func (x *reading) hasFiles(commit string, paths []string, files map[string]string) bool {
	args := append([]string{"--literal-pathspecs", "ls-tree", "-z", "--full-tree", commit, "--"}, paths...)
	out, err := x.repo.Git(x.ctx, process.Call{Args: args})
	if err != nil {
		return false
	}
	n := 0
	for rec := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		entry, path, ok := strings.Cut(rec, "\t")
		f := strings.Fields(entry)
		if !ok || len(f) != 3 || files[path] != f[2] {
			return false
		}
		n++
	}
	return n == len(files)
}
