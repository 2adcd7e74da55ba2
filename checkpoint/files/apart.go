package files

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// After a checkout the hook decides in the shell whether an open run concerns the branch, because starting us costs more than the checkout
// of a few files. A shell cannot read a file without the risk of reading too much, or of waiting for ever. So what it needs is said by
// names of files alone: below apart/ which branches a run concerns, below told/ what was said already, and quiet for the settings.

// keepApart records which branches a run in a worktree of its own concerns. Without that, the hook starts us after every checkout,
// so the new folder takes its place as a whole.
func (d Folder) keepApart(id checkpoint.RunID, f RunFile) error {
	if err := d.forgetApart(id); err != nil || !f.Apart || !refs.IsName(f.Branch) {
		return err
	}
	tmp := d.Path("apart", string(id)+dotgit.TempMark())
	defer os.RemoveAll(tmp)
	names := map[string]refs.Name{".branch": f.Branch}
	if refs.IsName(f.Base) {
		names[".base"] = f.Base
	}
	for leaf, ref := range names {
		dir := filepath.Join(tmp, filepath.FromSlash(string(ref)))
		if err := dotgit.MkdirAll(dir); err != nil {
			return err
		}
		if err := dotgit.WriteNew(filepath.Join(dir, leaf), nil); err != nil {
			return err
		}
	}
	return os.Rename(tmp, d.Path("apart", string(id)))
}

func (d Folder) forgetApart(id checkpoint.RunID) error {
	if err := dotgit.Plain(d.Path("apart")); err != nil {
		return err
	}
	return os.RemoveAll(d.Path("apart", string(id)))
}

// WriteOpen writes the file of an open run. before is what the file held; what the hook reads is written only if that changed.
func (d Folder) WriteOpen(id checkpoint.RunID, before, now RunFile) error {
	same := before.Branch == now.Branch && before.Base == now.Base && before.Apart == now.Apart
	if info, err := os.Lstat(d.Path("apart", string(id))); !same || now.Apart && (err != nil || !info.IsDir()) {
		// These are hints: without them the hook asks us.
		_ = d.keepApart(id, now)
		d.KeepQuiet(func() bool {
			again := d.Repo.Again()
			defer again.Close()
			return !again.Settings.Mentions("notice")
		})
	}
	return d.WriteHint(d.Path("open", string(id)), now)
}

// RemoveOpen removes the file of a run that is not open any more, and what the hook read about the run.
func (d Folder) RemoveOpen(id checkpoint.RunID) error {
	err := RemoveQuiet(d.Path("open", string(id)))
	_ = d.forgetApart(id)
	return err
}

// KeepQuiet records that resume.notice does not ask for all runs, if asked says so. The file is older than the answer: the hook believes it
// until a file of settings is as new as it is.
func (d Folder) KeepQuiet(asked func() bool) {
	path := d.Path("quiet")
	tmp := path + dotgit.TempMark()
	if err := dotgit.Plain(filepath.Dir(path)); err != nil || dotgit.WriteNew(tmp, nil) != nil {
		return // the hook asks again
	}
	if asked() {
		_ = os.Rename(tmp, path)
		return
	}
	_ = os.Remove(tmp)
	_ = RemoveQuiet(path)
}

// IsQuiet reports whether the hook would still believe that the settings do not ask for all runs.
func (d Folder) IsQuiet() bool {
	quiet, err := os.Stat(d.Path("quiet"))
	return err == nil && !slices.ContainsFunc(d.Repo.Settings.Files(), func(file string) bool {
		info, err := os.Stat(file)
		return err == nil && info.Mode().IsRegular() && !quiet.ModTime().After(info.ModTime())
	})
}

// The words after the run in the name of a file in told/: until the next record, or as long as a process is alive.
const (
	ToldNothing = "nothing"
	toldWorker  = "w"
)

// ToldSession is the word for a session, named by the process that leads it; ToldWorker is the word for a process that works on the run.
func ToldSession(pid int, start string) string { return fmt.Sprintf("%d-%s", pid, start) }
func ToldWorker(pid int, start string) string  { return toldWorker + ToldSession(pid, start) }

// Told reports whether a file in told/ says that nothing is to be said about a run: it must be newer than the run's last record.
func (d Folder) Told(id checkpoint.RunID, word string) bool {
	told, err := os.Lstat(d.toldPath(id, word))
	if err != nil {
		return false
	}
	record, err := os.Stat(d.Path("open", string(id)))
	return err == nil && told.ModTime().After(record.ModTime())
}

// Tell writes such a file. It may fail, as in a repository that is only read: then the same is said again.
func (d Folder) Tell(id checkpoint.RunID, word string) {
	if dotgit.MkdirAll(d.Path("told")) == nil {
		_ = dotgit.WriteNew(d.toldPath(id, word), nil)
	}
}

func (d Folder) toldPath(id checkpoint.RunID, word string) string {
	return d.Path("told", string(id)+"@"+word)
}

// SweepTold removes what is no longer needed in told/ and apart/: files about runs that are not open, and about processes that are gone.
func (d Folder) SweepTold(alive func(pid int, start string) bool) {
	if dotgit.Plain(d.Path("told")) != nil {
		return
	}
	entries, _ := os.ReadDir(d.Path("told"))
	for _, e := range entries {
		run, word, ok := strings.Cut(e.Name(), "@")
		id := checkpoint.RunID(run)
		if !ok || !id.Valid() {
			continue // not ours
		}
		number, start, _ := strings.Cut(strings.TrimPrefix(word, toldWorker), "-")
		pid, err := strconv.Atoi(number)
		if !d.OpenHere(id) || word != ToldNothing && (err != nil || !alive(pid, start)) {
			_ = RemoveQuiet(d.Path("told", e.Name()))
		}
	}
}
