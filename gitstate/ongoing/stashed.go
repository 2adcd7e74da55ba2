package ongoing

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// readStash is for a stash that met conflicts, or for whatever else left the same trace: git notes nowhere what it was.
func readStash(x *reading) (Ongoing, bool) {
	o, ok := readUnmerged(x)
	if !ok {
		return o, false
	}
	o.Op, o.Ways.Abort = FilesMerge, []string{"reset", "--merge"}
	name, id := x.stashOf(o.Unmerged)
	if name != "" {
		// By its name: a bare drop takes the newest one, which may be another.
		o.Op, o.Commit, o.Ways.Continue = StashPop, string(id), []string{"stash", "drop", name}
	}
	return o, true
}

// stashOf is the stash that holds the unmerged files just as the index has their other side; empty if none does.
func (x *reading) stashOf(paths []string) (name string, id object.ID) {
	theirs, err := x.theirs()
	if err != nil {
		return "", ""
	}
	list, err := x.repo.Git(x.ctx, process.Call{Args: []string{"log", "-g", "--format=%H", "refs/stash", "--"}})
	if err != nil {
		return "", "" // there is none
	}
	for i, commit := range strings.Fields(string(list)) { // counted here: by log.date git would name it by its time
		if x.holds(commit, paths, theirs) {
			return fmt.Sprintf("stash@{%d}", i), object.ID(commit)
		}
	}
	return "", ""
}

// theirs are the files of the other side of each unmerged path that has one.
func (x *reading) theirs() (map[string]string, error) {
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

// holds reports whether a commit has exactly these files at the paths.
func (x *reading) holds(commit string, paths []string, files map[string]string) bool {
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
