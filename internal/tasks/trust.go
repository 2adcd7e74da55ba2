package tasks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/site"
)

// UntrustedError says that commands of a run must not run: the user has not approved them in this clone, or has not
// approved new commits from elsewhere.
type UntrustedError struct {
	Run checkpoint.RunID
	// Task is the first task that has one of the commands, or SetupTask if only the setup command is not approved.
	Task     checkpoint.TaskID
	Commands []string
	// Again means that all commands were approved, and that the branch has new commits from elsewhere.
	Again bool
}

// Untrusted returns the error for commands of a plan that are not approved.
func Untrusted(run checkpoint.RunID, p plan.Plan, commands []string) *UntrustedError {
	out := &UntrustedError{Run: run, Task: SetupTask, Commands: commands}
	for _, t := range p.Tasks {
		if slices.Contains(commands, t.Run) || slices.Contains(commands, t.Verify) {
			out.Task = checkpoint.TaskID(t.ID)
			break
		}
	}
	return out
}

func (e *UntrustedError) Error() string {
	switch {
	case e.Again:
		return fmt.Sprintf("the commands of run '%s' need your approval again, because its branch has commits that may come from elsewhere", e.Run)
	case e.Task == SetupTask:
		return fmt.Sprintf("the setup command of run '%s' needs your approval in this clone", e.Run)
	}
	return fmt.Sprintf("the command of task '%s' needs your approval in this clone", e.Task)
}

// CommandsOf lists the exact command texts that a plan would run.
func CommandsOf(p plan.Plan) []string {
	var out []string
	add := func(text string) {
		if text != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	add(p.Setup)
	for _, t := range p.Tasks {
		add(t.Run)
		add(t.Verify)
	}
	return out
}

func (e *Tasks) trustPath() string { return e.Repo.CommonPath("resume", "trusted") }

// approval is one line in the file of approvals. It allows one command in one run. If the branch has commits from elsewhere, the approval
// covers only those up to the commit in the field tip. Lines in other forms are kept in the file, but approve nothing. For example, older
// versions wrote only the hash of the command.
type approval struct {
	run  checkpoint.RunID
	hash string
	tip  string // "-" if all commits were made in this clone
}

const (
	approvalDomain = "git-resume approval 1"
	noTip          = "-"
)

func (e *Tasks) approvalLine(a approval) (string, error) {
	mac, err := e.Store.Keys().Seal(approvalDomain, string(a.run), a.hash, a.tip)
	if err != nil || mac == "" {
		return "", err
	}
	return strings.Join([]string{string(a.run), a.hash, a.tip, mac}, " "), nil
}

// trusted reads the approvals of this user on this machine. It ignores lines with a signature from elsewhere, for example after the
// repository was copied.
func (e *Tasks) trusted() (map[approval]bool, error) {
	text, err := gitstate.ReadUpTo(e.trustPath(), 16<<20)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("read the list of approved commands: %w", err)
	}
	out := map[approval]bool{}
	for line := range strings.Lines(string(text)) {
		if a, mac, ok := parseApproval(line); ok && e.Store.Keys().Sealed(mac, approvalDomain, string(a.run), a.hash, a.tip) {
			out[a] = true
		}
	}
	return out, nil
}

// parseApproval reads one line: the run, the hash of the command text, the tip, and a signature over all three.
func parseApproval(line string) (a approval, mac string, ok bool) {
	f := strings.Fields(line)
	if len(f) != 4 {
		return approval{}, "", false
	}
	a = approval{checkpoint.RunID(f[0]), f[1], f[2]}
	return a, f[3], a.run.Valid() && (a.tip == noTip || object.IsID(a.tip))
}

// WriteApproval records that the user has approved commands for a run. If the branch has commits from elsewhere, the argument "tip" is
// the newest of them that the user has seen. Otherwise it is empty.
func (e *Tasks) WriteApproval(id checkpoint.RunID, commands []string, tip object.ID) error {
	if len(commands) == 0 {
		return nil
	}
	lock, err := flock.WaitFor(e.trustPath()+".lock", time.Minute)
	if err != nil {
		return fmt.Errorf("approve commands: %w", err)
	}
	defer func() { _ = lock.Release() }()
	text, err := gitstate.ReadUpTo(e.trustPath(), 16<<20)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("approve commands: %w", err)
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.TrimSpace(l) == "" })
	for _, c := range commands {
		a := approval{run: id, hash: execution.Hash(c, nil), tip: noTip}
		if tip != "" {
			a.tip = string(tip)
		}
		line, err := e.approvalLine(a)
		if err != nil {
			return err
		}
		if line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return dotgit.WriteFile(e.trustPath(), []byte(strings.Join(lines, "\n")+"\n"))
}

// Approved returns an error if the user has not approved every command of the plan for this run, or has not approved all commits from
// elsewhere on its branch. After this error, no command of the plan is allowed to run.
func (e *Tasks) Approved(ctx context.Context, r *checkpoint.Run, p plan.Plan) error {
	if len(CommandsOf(p)) == 0 {
		return nil
	}
	missing, err := e.NeedsApproval(r.ID, p)
	if err != nil {
		return err
	}
	if len(missing) == 0 {
		strange, err := e.StrangeCommits(ctx, r)
		if err != nil {
			return err
		}
		if ok, err := e.AcceptedTip(ctx, r.ID, strange); ok || err != nil {
			return err
		}
		out := Untrusted(r.ID, p, CommandsOf(p))
		out.Again = true
		return out
	}
	return Untrusted(r.ID, p, missing)
}

// NeedsApproval lists the plan's commands that the user has not approved for this run.
func (e *Tasks) NeedsApproval(id checkpoint.RunID, p plan.Plan) ([]string, error) {
	have, err := e.trusted()
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for a := range have {
		if a.run == id {
			known[a.hash] = true
		}
	}
	return slices.DeleteFunc(CommandsOf(p), func(c string) bool { return known[execution.Hash(c, nil)] }), nil
}

// AcceptedTip reports whether the user has already approved the run with all its commits from elsewhere. The list "strange" has these
// commits, newest first.
func (e *Tasks) AcceptedTip(ctx context.Context, id checkpoint.RunID, strange []object.Commit) (bool, error) {
	if len(strange) == 0 {
		return true, nil
	}
	have, err := e.trusted()
	if err != nil {
		return false, err
	}
	for a := range have {
		if a.run != id || a.tip == noTip {
			continue
		}
		if a.tip == string(strange[0].ID) {
			return true, nil
		}
		if yes, err := past.IsAncestor(ctx, e.Repo, strange[0].ID, object.ID(a.tip)); err == nil && yes {
			return true, nil
		}
	}
	return false, nil
}

// Approval is what the user is asked to approve: the commands of a run, and commits that may come from elsewhere.
type Approval struct {
	Run      checkpoint.Run
	Commands []string
	// Strange lists all commits on the run's branch after the last one in the journal, newest first (see StrangeCommits). It is empty if
	// all of these commits were made here or come from the base, or if the user has already approved them.
	Strange []object.Commit
	// Missing lists the commands that are not approved yet.
	Missing []string
	// Built lists the commits on the run's branch since its base. Not every caller fills it in.
	Built []object.Commit
	// Tip is the tip of the run's branch when the approval was prepared.
	Tip object.ID
}

// Hash identifies the commands and commits that were shown to the user. An approval with this hash is valid for nothing else.
func (a *Approval) Hash() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "git-resume approval\n%s\n", a.Run.ID)
	for _, c := range a.Commands {
		fmt.Fprintf(sum, "command %d\n%s\n", len(c), c)
	}
	for _, c := range a.Strange {
		fmt.Fprintf(sum, "commit %s\n", c.ID)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// Open reports whether there is anything to approve.
func (a *Approval) Open() bool { return len(a.Missing) > 0 || len(a.Strange) > 0 }

// Approval collects the commands and commits that the user must approve before a run continues. It writes nothing.
func (e *Tasks) Approval(ctx context.Context, run string) (*Approval, error) {
	id, err := e.Find.Resolve(ctx, run)
	if err != nil {
		return nil, err
	}
	j, err := e.Find.Journal(ctx, id)
	if err != nil {
		return nil, err
	}
	p, err := e.PlanOf(ctx, &j.Run)
	if err != nil {
		return nil, err
	}
	out := &Approval{Run: j.Run, Commands: CommandsOf(p)}
	if out.Missing, err = e.NeedsApproval(id, p); err != nil {
		return nil, err
	}
	if out.Tip, err = e.Store.History().BranchTip(ctx, &j.Run); err != nil {
		return nil, err
	}
	strange, err := e.StrangeCommits(ctx, &j.Run)
	if err != nil {
		return nil, err
	}
	if ok, err := e.AcceptedTip(ctx, id, strange); err != nil {
		return nil, err
	} else if !ok {
		out.Strange = strange
	}
	return out, nil
}

// Approve records that the user has approved everything in the given Approval. If the run has changed meanwhile, Approve returns ErrMoved
// and records nothing.
func (e *Tasks) Approve(ctx context.Context, shown *Approval) error {
	now, err := e.Approval(ctx, string(shown.Run.ID))
	if err != nil {
		return err
	}
	if now.Hash() != shown.Hash() {
		return candidate.ErrMoved
	}
	if err := site.MustOwn(&now.Run); err != nil {
		return err
	}
	var tip object.ID
	if len(now.Strange) > 0 {
		tip = now.Strange[0].ID
	}
	return e.WriteApproval(now.Run.ID, now.Commands, tip)
}
