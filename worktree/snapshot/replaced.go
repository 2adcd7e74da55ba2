package snapshot

import (
	"context"
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
)

// InTheWayError reports that a restore would have to replace a folder that has committed files.
type InTheWayError struct{ Path string }

func (e *InTheWayError) Error() string {
	return fmt.Sprintf("'%s' is a file in the snapshot, but now a folder with committed files", e.Path)
}

// targets returns the paths of the files that the snapshot restores. The value is false for a file that is deleted in the snapshot: a
// restore removes such a file, but changes nothing if a folder is in its place.
func (r *restoreJob) targets() map[string]bool {
	out := map[string]bool{}
	for _, list := range [][]Item{r.part.stored, r.part.unchanged} {
		for _, it := range list {
			out[it.Path] = out[it.Path] || it.ID != ""
		}
	}
	return out
}

// replacedIgnored returns the ignored files and folders that the restore would overwrite or remove. Usually no snapshot contains them, so
// they would be lost.
func (r *restoreJob) replacedIgnored(ignored []string) (out []string) {
	if len(ignored) == 0 {
		return nil
	}
	targets, names := r.targets(), map[string]bool{}
	for _, name := range ignored {
		name = strings.TrimSuffix(name, "/")
		names[name] = true
		if _, is := ancestorIn(targets, name); is { // the restore writes this path, or a file in place of one of its parent folders
			out = append(out, name)
		}
	}
	for target := range targets {
		name, is := ancestorIn(names, target)
		if !is {
			continue
		}
		if info, err := os.Lstat(r.writer().full(name)); err == nil && !info.IsDir() {
			out = append(out, name) // this ignored file has the path that the restore writes, or the path of one of its parent folders
		} else if _, err := os.Lstat(r.writer().full(target)); err == nil {
			out = append(out, target)
		}
	}
	return out
}

// ancestorIn returns the path itself if it is in the set, and otherwise its lowest parent folder in the set. The second result is false
// if there is none.
func ancestorIn(set map[string]bool, name string) (string, bool) {
	for ; name != "." && name != "/"; name = path.Dir(name) {
		if set[name] {
			return name, true
		}
	}
	return "", false
}

// inTheWay returns an error if the restore would replace a folder that has committed files. A restore of all files with the way Exact is
// always allowed: HEAD is then the commit at which the snapshot was taken, so these files were already replaced in the snapshot.
func (r *restoreJob) inTheWay(ctx context.Context, now Snapshot) error {
	if r.req.Way == Exact && len(r.req.Paths) == 0 {
		return nil
	}
	head := Edit(r.repo, now.headTree)
	for target, written := range r.targets() {
		if !written {
			continue
		}
		if info, err := os.Lstat(r.writer().full(target)); err != nil || !info.IsDir() {
			continue
		}
		e, ok, err := head.Get(ctx, target)
		if err != nil {
			return err
		}
		if ok && e.Mode == object.ModeDir {
			return &InTheWayError{target}
		}
	}
	return nil
}

// clearFolders removes the uncommitted files below a folder that becomes a file. The snapshot of the present work contains them.
func (r *restoreJob) clearFolders(now Snapshot) error {
	targets := r.targets()
	for _, name := range now.Paths {
		if _, below := ancestorIn(targets, path.Dir(name)); !below {
			continue
		}
		if err := r.writer().remove(name); err != nil {
			return err
		}
	}
	return nil
}
