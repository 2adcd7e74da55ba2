package refs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate/guard"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// Update is a request to move one ref by compare-and-swap. If Old is empty, the ref must not exist yet. If New is empty, the ref is
// deleted.
type Update struct {
	Ref     Name
	New     object.ID
	Old     object.ID
	Message string
	// If NoLog is true, git writes no reflog for the ref, even if the user wants one for every ref. git's reflog commands expect refs
	// that point to commits, but this ref may point to an object of another kind.
	NoLog bool
	// If Log is true, git writes a reflog for the ref, whatever the user's settings are. So earlier values of the ref stay reachable until
	// git expires them.
	Log bool
	// If Often is true, the caller moves refs many times with this message. After a call of Program.Shield, one git process then keeps
	// running and makes all these moves. Without that call, each move starts a git process.
	Often bool
}

// StaleError reports that a ref had changed since the writer read it, because somebody else was faster.
type StaleError struct {
	Ref    Name
	Wanted object.ID
	Found  object.ID
}

func (e *StaleError) Error() string {
	return fmt.Sprintf("ref '%s' is at '%s', but was expected at '%s'", e.Ref, orNone(e.Found), orNone(e.Wanted))
}

// BusyError reports that another process holds the lock of a ref.
type BusyError struct {
	Ref  Name
	Text string
}

func (e *BusyError) Error() string { return fmt.Sprintf("ref '%s' is locked: %s", e.Ref, e.Text) }

func orNone(id object.ID) string {
	if id == "" {
		return "none"
	}
	return string(id)
}

// Update moves one ref durably, by compare-and-swap. It returns a *StaleError if somebody else was faster, and a *BusyError if another
// process holds the ref's lock.
func (r *Refs) Update(ctx context.Context, u Update) error {
	return r.UpdateAll(ctx, u)[0]
}

// ErrNotTried is the error for an update that was not tried because an earlier update failed.
var ErrNotTried = errors.New("not tried")

// UpdateAll moves refs one after another, and stops at the first failure. If possible, it uses one git process for all of them. Each
// move is a transaction of its own: if git is killed during a transaction of several refs, we would not know which of them moved. The
// result has one error for each update. It is nil if the ref moved, and ErrNotTried for the updates after the failure.
func (r *Refs) UpdateAll(ctx context.Context, updates ...Update) []error {
	errs := make([]error, len(updates))
	h, err := r.settings.Hasher(ctx)
	if err != nil {
		return fillErrors(errs, err)
	}
	done, err := r.move(ctx, h, updates)
	for i, u := range updates {
		switch {
		case i < done:
			errs[i] = r.sync(u)
		case i == done && err != nil:
			if errs[i] = r.explain(ctx, u, err); errs[i] == nil && i+1 < len(updates) {
				copy(errs[i+1:], r.UpdateAll(ctx, updates[i+1:]...))
				return errs
			}
		default:
			errs[i] = ErrNotTried
		}
	}
	return errs
}

// move passes updates to git and returns how many succeeded. One git process has one message and one reflog option, so updates with
// another message or option need another process.
func (r *Refs) move(ctx context.Context, h object.Hasher, updates []Update) (int, error) {
	same := 1
	for same < len(updates) && updates[same].Message == updates[0].Message && updates[same].Log == updates[0].Log && updates[same].NoLog == updates[0].NoLog {
		same++
	}
	done, err := r.moveGroup(ctx, h, updates[:same])
	if err != nil || same == len(updates) {
		return done, err
	}
	more, err := r.move(ctx, h, updates[same:])
	return done + more, err
}

func (r *Refs) moveGroup(ctx context.Context, h object.Hasher, updates []Update) (int, error) {
	done, args := 0, updates[0].arguments()
	if updates[0].NoLog && r.logsEverything(ctx) {
		args = append([]string{"-c", "core.logAllRefUpdates=false"}, args...)
	} else if (updates[0].Message == "" || updates[0].Often) && r.git.Shielded() && r.isPrompt(ctx) {
		var killed bool
		var err error
		// If somebody kills the resident process, do not fail: a new process does the rest.
		if done, killed, err = r.moveByResident(ctx, h, updates); !killed {
			return done, err
		}
	}
	in, locks := r.transactions(h, updates[done:])
	out, err := r.git.Git(ctx, process.Call{Args: args, Mode: process.Write, Stdin: strings.NewReader(in), Locks: locks})
	return done + strings.Count(string(out), commitOK), err
}

// logsEverything reports whether the user wants a reflog of every ref. By default git keeps no reflog of our refs.
func (r *Refs) logsEverything(ctx context.Context) bool {
	if !r.mayLogEverything() {
		return false
	}
	c, err := r.settings.Config(ctx)
	if err != nil {
		return false
	}
	v, _ := c.Get("core.logallrefupdates")
	return strings.EqualFold(v, "always")
}

func (u Update) arguments() []string {
	args := []string{"update-ref"}
	if u.Message != "" {
		args = append(args, "-m", u.Message)
	}
	if u.Log {
		args = append(args, "--create-reflog")
	}
	return append(args, "--stdin", "-z")
}

// mayLogEverything reports whether core.logAllRefUpdates may be "always". It searches the settings files itself, because asking git is
// slower and hardly anybody uses this value.
func (r *Refs) mayLogEverything() bool {
	if !r.settings.Mentions("logallrefupdates") {
		return false
	}
	for _, name := range []string{"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"} {
		if _, ok := r.git.Var(name); ok {
			return true
		}
	}
	for line := range strings.Lines(r.settings.Text()) {
		if strings.Contains(line, "include") || strings.Contains(line, "logallrefupdates") && strings.Contains(line, "always") {
			return true
		}
	}
	return false
}

// transactions returns git's input for the updates, and the lock files that git may create.
func (r *Refs) transactions(h object.Hasher, updates []Update) (in string, locks []string) {
	var b strings.Builder
	for _, u := range updates {
		b.WriteString(u.command(h))
		locks = append(locks, r.Locks(u)...)
	}
	return b.String(), locks
}

// commitOK is git's answer to each successful transaction.
const commitOK = "commit: ok\n"

// promptGit is the first version of git that answers each transaction before it reads the next one. Older versions answer only after they
// have read all input.
const promptGit = "2.34"

func (r *Refs) isPrompt(ctx context.Context) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answersAtOnce == nil {
		have := r.git.Version(ctx)
		yes := have != "" && !process.OlderThan(have, promptGit)
		r.answersAtOnce = &yes
	}
	return *r.answersAtOnce
}

// moveByResident moves refs through a git process that keeps running. The process ends at the first ref that it cannot move, and the next
// call starts another.
func (r *Refs) moveByResident(ctx context.Context, h object.Hasher, updates []Update) (done int, killed bool, err error) {
	g, err := r.git.Guard.Writing()
	if err != nil {
		return 0, false, err
	}
	stays := process.Mover
	switch {
	case updates[0].Message != "":
		stays = process.Teller
	case updates[0].Log:
		stays = process.Logger
	}
	t, err := r.git.Resident(ctx, stays, process.Call{Args: updates[0].arguments(), Mode: process.Write}, g.File())
	if err != nil {
		return 0, false, err
	}
	t.Lock()
	defer t.Unlock()
	in, locks := r.transactions(h, updates)
	over, err := g.Note(locks)
	if err != nil {
		return 0, false, err
	}
	defer t.Await()()
	err = t.Say(in)
	for err == nil && done < len(updates) {
		var line string
		if line, err = t.Out.ReadString('\n'); err != nil {
			err = t.End(err)
		} else if line == commitOK {
			done++
		}
	}
	if t.Exit != nil && guard.LeftLocks(t.Exit) {
		r.git.Drop(g)
		return done, true, err
	}
	if slices.ContainsFunc(locks, process.IsThere) { // git left a lock; end the process, because only then does it report that it could not remove the lock
		_ = t.End(nil)
		r.git.Drop(g)
		return done, false, err
	}
	over()
	return done, false, err
}

// Locks lists the lock files that git may create to move a ref.
func (r *Refs) Locks(u Update) []string {
	if r.InTables() {
		return []string{r.git.CommonPath("reftable", guard.TablesLock), filepath.Join(r.git.GitDir, "reftable", guard.TablesLock)}
	}
	locks := []string{r.path(u.Ref) + ".lock", filepath.Join(r.git.GitDir, "HEAD.lock")}
	if u.New == "" {
		// git rewrites packed-refs without the deleted ref, and fails if a half-written packed-refs.new exists.
		locks = append(locks, r.git.CommonPath("packed-refs.lock"), r.git.CommonPath("packed-refs.new"))
	}
	return locks
}

// BranchLocks lists the lock files of a git command that moves a branch and may also delete other refs, as a rebase does.
func (r *Refs) BranchLocks(branch Name) []string { return r.Locks(Update{Ref: branch}) }

func fillErrors(errs []error, err error) []error {
	for i := range errs {
		errs[i] = err
	}
	return errs
}

// command returns the transaction for one update, in the input format of "git update-ref --stdin -z".
func (u Update) command(h object.Hasher) string {
	old := u.Old
	if old == "" {
		old = h.Zero()
	}
	if u.New == "" {
		return fmt.Sprintf("start\x00option no-deref\x00delete %s\x00%s\x00commit\x00", u.Ref, old)
	}
	return fmt.Sprintf("start\x00option no-deref\x00update %s\x00%s\x00%s\x00commit\x00", u.Ref, u.New, old)
}

// explain finds out why an update failed: somebody else was faster, the ref is locked, or something else. It reads the ref again instead of
// trusting git's message. If the ref has moved as wanted, git was killed after the move. Then explain returns nil, because after an error
// the caller would record the same thing again.
func (r *Refs) explain(ctx context.Context, u Update, err error) error {
	var git *process.Error
	if !errors.As(err, &git) {
		return err
	}
	found, readErr := r.Ref(ctx, u.Ref)
	if readErr == nil && found == u.New && u.New != u.Old {
		return r.sync(u)
	}
	if readErr == nil && found != u.Old {
		return &StaleError{Ref: u.Ref, Wanted: u.Old, Found: found}
	}
	if isBusy(git.Text) {
		return &BusyError{Ref: u.Ref, Text: git.Text}
	}
	return fmt.Errorf("move ref %s: %w", u.Ref, err)
}

// isBusy reports whether git's message says that somebody holds a lock, on one ref or on all refs.
func isBusy(text string) bool {
	return strings.Contains(text, ".lock'") && strings.Contains(text, "File exists") || strings.HasSuffix(text, "cannot lock references")
}

// sync makes the directory entry of a ref durable, because git syncs only the file. For a new ref it also syncs the directories above,
// because git may have created them.
func (r *Refs) sync(u Update) error {
	if r.InTables() {
		return nil
	}
	if !strings.HasPrefix(string(u.Ref), "refs/") {
		return dotgit.SyncDir(r.git.GitDir)
	}
	top := filepath.Join(r.git.CommonDir, "refs")
	for dir := filepath.Dir(r.path(u.Ref)); strings.HasPrefix(dir, top); dir = filepath.Dir(dir) {
		if err := dotgit.SyncDir(dir); err != nil && !isAbsent(err) {
			return fmt.Errorf("sync %s: %w", dir, err)
		}
		if u.Old != "" {
			break
		}
	}
	return nil
}

// Sync makes the directory entry of a ref durable. It is for refs that git created as a side effect of another command.
func (r *Refs) Sync(name Name) error { return r.sync(Update{Ref: name}) }
