package gitstate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Update is one compare-and-swap of a ref.
// An empty Old means that the ref must not exist yet, an empty New that it shall go.
type Update struct {
	Ref     string
	New     OID
	Old     OID
	Message string
}

// StaleRefError says that a ref was not where the writer had seen it: somebody else was faster.
type StaleRefError struct {
	Ref    string
	Wanted OID
	Found  OID
}

func (e *StaleRefError) Error() string {
	return fmt.Sprintf("ref '%s' is at '%s', not at '%s'", e.Ref, orNone(e.Found), orNone(e.Wanted))
}

// BusyRefError says that another process holds the lock of a ref.
type BusyRefError struct{ Ref, Text string }

func (e *BusyRefError) Error() string { return fmt.Sprintf("ref '%s' is locked: %s", e.Ref, e.Text) }

func orNone(id OID) string {
	if id == "" {
		return "none"
	}
	return string(id)
}

// UpdateRef moves one ref durably, by compare-and-swap.
// A lost race is a *StaleRefError, a ref locked by another process a *BusyRefError.
func (r *Repo) UpdateRef(ctx context.Context, u Update) error {
	return r.UpdateRefs(ctx, u)[0]
}

// ErrNotTried says that an earlier update failed, so that this one was left alone.
var ErrNotTried = errors.New("not tried")

// UpdateRefs moves refs one after the other in one process, each a transaction of its own:
// several refs in one transaction are not atomic under a kill, and would hide which one moved.
// It stops at the first that fails and answers for each; those behind it are ErrNotTried.
func (r *Repo) UpdateRefs(ctx context.Context, updates ...Update) []error {
	errs := make([]error, len(updates))
	h, err := r.Hasher(ctx)
	if err != nil {
		return fillErrors(errs, err)
	}
	var in strings.Builder
	var locks []string
	for _, u := range updates {
		in.WriteString(u.command(h))
		locks = append(locks, r.refLocks(u)...)
	}
	args := []string{"update-ref", "--stdin", "-z"}
	if m := updates[0].Message; m != "" {
		args = []string{"update-ref", "-m", m, "--stdin", "-z"}
	}
	out, err := r.Git(ctx, Call{Args: args, Mode: Write, Stdin: strings.NewReader(in.String()), Locks: locks})
	done := strings.Count(string(out), "commit: ok\n")
	for i, u := range updates {
		switch {
		case i < done:
			errs[i] = r.syncRef(u)
		case i == done && err != nil:
			if errs[i] = r.explainUpdate(ctx, u, err); errs[i] == nil && i+1 < len(updates) {
				copy(errs[i+1:], r.UpdateRefs(ctx, updates[i+1:]...))
				return errs
			}
		default:
			errs[i] = ErrNotTried
		}
	}
	return errs
}

// refLocks are the lock files that git takes to move a ref.
func (r *Repo) refLocks(u Update) []string {
	if r.reftable() {
		return []string{r.CommonPath("reftable", "tables.list.lock"), filepath.Join(r.GitDir, "reftable", "tables.list.lock")}
	}
	locks := []string{r.refPath(u.Ref) + ".lock", filepath.Join(r.GitDir, "HEAD.lock")}
	if u.New == "" {
		locks = append(locks, r.CommonPath("packed-refs.lock"))
	}
	return locks
}

func fillErrors(errs []error, err error) []error {
	for i := range errs {
		errs[i] = err
	}
	return errs
}

// command is the transaction of one update in the language of "git update-ref --stdin -z".
func (u Update) command(h Hasher) string {
	old := u.Old
	if old == "" {
		old = h.Zero()
	}
	if u.New == "" {
		return fmt.Sprintf("start\x00option no-deref\x00delete %s\x00%s\x00commit\x00", u.Ref, old)
	}
	return fmt.Sprintf("start\x00option no-deref\x00update %s\x00%s\x00%s\x00commit\x00", u.Ref, u.New, old)
}

// explainUpdate tells a lost race from a lock and from a fault by looking again, not by git's words alone.
// It gives nil where the ref did move: git may die between the move and its answer,
// and whoever took that for a lost race would record the same thing twice.
func (r *Repo) explainUpdate(ctx context.Context, u Update, err error) error {
	var git *Error
	if !errors.As(err, &git) {
		return err
	}
	found, readErr := r.Ref(ctx, u.Ref)
	if readErr == nil && found == u.New && u.New != u.Old {
		return r.syncRef(u)
	}
	if readErr == nil && found != u.Old {
		return &StaleRefError{Ref: u.Ref, Wanted: u.Old, Found: found}
	}
	if isBusy(git.Text) {
		return &BusyRefError{Ref: u.Ref, Text: git.Text}
	}
	return fmt.Errorf("move ref %s: %w", u.Ref, err)
}

// isBusy knows git's words for a lock that somebody holds, on one ref or on all of them.
func isBusy(text string) bool {
	return strings.Contains(text, ".lock'") && strings.Contains(text, "File exists") || strings.HasSuffix(text, "cannot lock references")
}

// syncRef makes the ref's name durable: git syncs the file, not the directory that names it.
// A new ref may have made new directories, so that those above it are synced too.
func (r *Repo) syncRef(u Update) error {
	if r.reftable() {
		return nil
	}
	if !strings.HasPrefix(u.Ref, "refs/") {
		return SyncDir(r.GitDir)
	}
	top := filepath.Join(r.CommonDir, "refs")
	for dir := filepath.Dir(r.refPath(u.Ref)); strings.HasPrefix(dir, top); dir = filepath.Dir(dir) {
		if err := SyncDir(dir); err != nil && !isAbsent(err) {
			return fmt.Errorf("sync %s: %w", dir, err)
		}
		if u.Old != "" {
			break
		}
	}
	return nil
}

// SyncDir makes the names in a directory durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return syncDir(d)
}

// WriteFile replaces a small file durably: temporary file, sync, rename, sync of the directory.
func WriteFile(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+".tmp-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // gone already when all went well
	if err := fill(tmp, data); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	return SyncDir(dir)
}

func fill(f *os.File, data []byte) error {
	_, err := f.Write(data)
	return errors.Join(err, f.Chmod(0o666&^umask()), f.Sync(), f.Close())
}
