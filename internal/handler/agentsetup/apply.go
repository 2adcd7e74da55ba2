package agentsetup

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-resume/git-resume/internal/flock"
)

// patience is how long to wait for another installer.
const patience = 10 * time.Second

// Apply makes the changes of a plan. It first records what it is going to write, so that a killed installation can be undone. A file that
// was changed after the plan was made is not overwritten.
func (s *Setup) Apply(p Plan) (err error) {
	made := missingDirs(s.recordPath())
	if err := os.MkdirAll(s.State, 0o700); err != nil {
		return err
	}
	lock, err := flock.WaitFor(filepath.Join(s.State, "agents.lock"), patience)
	if err != nil {
		return err
	}
	defer lock.Release()
	r, err := s.load()
	if err != nil {
		return err
	}
	for _, c := range p.Changes {
		// Another installer may have written the file since the plan was made. Then its entry stays, because it describes the file.
		if c.Err == nil && c.entry != nil && !c.settled && (s.is(c, c.Had, c.Was) || s.is(c, c.Has, c.Now)) {
			r.put(*c.entry)
			made = append(made, missingDirs(c.file.target)...)
		}
	}
	r.Dirs = union(r.Dirs, made)
	if err := s.save(r); err != nil {
		return err
	}
	var faults []error
	for _, c := range p.Changes {
		if c.Err != nil {
			continue
		}
		if err := s.apply(c); err != nil {
			faults = append(faults, err)
			continue
		}
		if c.Changes() {
			s.forget(c.Agents...)
		}
		if c.entry == nil && !c.settled {
			r.drop(c.Path)
		}
	}
	return errors.Join(append(faults, s.tidy(r))...)
}

// is reports whether the file of a change exists now, and has this content.
func (s *Setup) is(c Change, exists bool, data []byte) bool {
	now, err := s.read(c.Path, c.own)
	return err == nil && now.exists == exists && (!exists || bytes.Equal(now.data, data))
}

func (s *Setup) apply(c Change) error {
	switch {
	case s.is(c, c.Has, c.Now):
		return nil // the file already is as planned
	case c.Has:
		return s.write(c.file, c.Now, c.own)
	default:
		return s.remove(c.file, c.own)
	}
}

// tidy removes the empty folders that an installation made. If the record lists no more installed files, it then removes the record, and at
// last the folders that could not be removed before because they contained the record. The record is removed only after the other folders,
// so that a killed uninstallation can be repeated.
func (s *Setup) tidy(r record) error {
	slices.SortFunc(r.Dirs, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	r.Dirs = slices.DeleteFunc(r.Dirs, isGone)
	if len(r.Files) > 0 {
		return s.save(r)
	}
	dirs := r.Dirs // folders that cannot be removed yet, because they contain other files or the record itself
	r.Dirs = nil
	if err := s.save(r); err != nil {
		return err
	}
	s.forgetAll()
	_ = os.Remove(filepath.Join(s.State, "agents.lock")) // a process that waits for this lock notices that its file is gone
	_ = os.Remove(s.State)
	for _, dir := range dirs {
		isGone(dir)
	}
	return nil
}

// isGone deletes a folder if it is empty, and reports whether it no longer exists.
func isGone(dir string) bool {
	_ = os.Remove(dir) // a folder with files in it stays
	_, err := os.Lstat(dir)
	return errors.Is(err, fs.ErrNotExist)
}
