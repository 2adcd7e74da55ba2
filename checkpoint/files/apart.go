package files

import (
	"crypto/sha256"
	"encoding/hex"
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

// The post-checkout hook is a shell script that starts git-resume only if there may be something to say about the new branch. A shell
// script cannot limit how much of a file it reads, so it looks only at names and times of git-resume's files. The folder apart/ lists the
// branches and bases of runs, and told/ lists the runs about which nothing needs to be said now. If the file "quiet" is newer than all
// settings files, the hook knows without git that resume.notice is not "all".

// keepApart writes the folder from which the hook learns the branch and the base of a run with its own worktree. For any other run, it
// removes the folder. It renames a complete temporary folder, so that the hook never sees an incomplete one.
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

// WriteOpen writes the RunFile of an open run. It also writes the files that the post-checkout hook reads, if they are missing or if
// Branch, Base or Apart has changed.
func (d Folder) WriteOpen(id checkpoint.RunID, before, now RunFile) error {
	same := before.Branch == now.Branch && before.Base == now.Base && before.Apart == now.Apart
	if info, err := os.Lstat(d.Path("apart", string(id))); !same || now.Apart && (err != nil || !info.IsDir()) {
		// Ignore an error of keepApart: without its folder the hook starts git-resume, which is only slower.
		_ = d.keepApart(id, now)
		d.KeepQuiet(func() bool {
			again := d.Repo.Again()
			defer again.Close()
			return !again.Settings.Mentions("notice")
		})
	}
	return d.WriteHint(d.Path("open", string(id)), now)
}

// RemoveOpen removes the RunFile of a run that is no longer open. It also removes the run's folder in apart/, which the post-checkout hook
// reads.
func (d Folder) RemoveOpen(id checkpoint.RunID) error {
	err := RemoveQuiet(d.Path("open", string(id)))
	_ = d.forgetApart(id)
	return err
}

// KeepQuiet creates the file "quiet" if the given function returns true, and removes the file otherwise. The time of the file is set
// before the function reads the settings, so that no later change of a setting is overlooked.
func (d Folder) KeepQuiet(asked func() bool) {
	path := d.Path("quiet")
	tmp := path + dotgit.TempMark()
	if err := dotgit.Plain(filepath.Dir(path)); err != nil || dotgit.WriteNew(tmp, nil) != nil {
		return // without the file "quiet", the hook starts git-resume, which is only slower
	}
	if asked() {
		_ = os.Rename(tmp, path)
		return
	}
	_ = os.Remove(tmp)
	_ = RemoveQuiet(path)
}

// IsQuiet reports whether the file "quiet" exists and is newer than all settings files. Only such a file tells the hook that the setting
// resume.notice is not "all". An older file may be wrong, because the setting may have changed since.
func (d Folder) IsQuiet() bool {
	quiet, err := os.Stat(d.Path("quiet"))
	return err == nil && !slices.ContainsFunc(d.Repo.Settings.Files(), func(file string) bool {
		info, err := os.Stat(file)
		return err == nil && info.Mode().IsRegular() && !quiet.ModTime().After(info.ModTime())
	})
}

// The name of a file in told/ consists of the id of a run, "@" and a suffix. With the suffix ToldNothing, the file is valid until the run's
// next record. With a process id as suffix, it is valid while that process is alive. The suffix for a worker begins with toldWorker.
const (
	ToldNothing = "nothing"
	toldWorker  = "w"
)

// ToldSession and ToldWorker return the last part of a file name in told/. ToldSession identifies a terminal session by its
// leading process, and ToldWorker identifies a process that works on the run.
func ToldSession(pid int, start string) string { return fmt.Sprintf("%d-%s", pid, start) }
func ToldWorker(pid int, start string) string  { return toldWorker + ToldSession(pid, start) }

// toldOther begins the names in told/ of other systems' work.
const toldOther = "other~"

// ToldOther returns the name in told/ of another system's work in its present state. Such work has no record here whose time could show
// that something changed, so the state is part of the name.
func ToldOther(key string, state ...string) checkpoint.RunID {
	sum := sha256.Sum256([]byte(key + "\n" + strings.Join(state, "\n")))
	return checkpoint.RunID(toldOther + hex.EncodeToString(sum[:8]))
}

func isOther(id checkpoint.RunID) bool { return strings.HasPrefix(string(id), toldOther) }

// Told reports whether told/ has a file for the run with the given suffix, and the file is newer than the run's last record.
func (d Folder) Told(id checkpoint.RunID, word string) bool {
	told, err := os.Lstat(d.toldPath(id, word))
	if err != nil || isOther(id) {
		return err == nil
	}
	record, err := os.Stat(d.Path("open", string(id)))
	return err == nil && told.ModTime().After(record.ModTime())
}

// Tell creates the file that Told looks for. If that fails, for example in a read-only repository, the user only sees the
// same message again.
func (d Folder) Tell(id checkpoint.RunID, word string) {
	if dotgit.MkdirAll(d.Path("told")) == nil {
		_ = dotgit.WriteNew(d.toldPath(id, word), nil)
	}
}

func (d Folder) toldPath(id checkpoint.RunID, word string) string {
	return d.Path("told", string(id)+"@"+word)
}

// SweepTold removes files in told/ whose run is no longer open or whose process has ended.
func (d Folder) SweepTold(alive func(pid int, start string) bool) {
	if dotgit.Plain(d.Path("told")) != nil {
		return
	}
	entries, _ := os.ReadDir(d.Path("told"))
	for _, e := range entries {
		run, word, ok := strings.Cut(e.Name(), "@")
		id := checkpoint.RunID(run)
		if !ok || !id.Valid() && !isOther(id) {
			continue // not a file that we made
		}
		number, start, _ := strings.Cut(strings.TrimPrefix(word, toldWorker), "-")
		pid, err := strconv.Atoi(number)
		if !isOther(id) && !d.OpenHere(id) || word != ToldNothing && (err != nil || !alive(pid, start)) {
			_ = RemoveQuiet(d.Path("told", e.Name()))
		}
	}
}
