package owner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/proc"
)

func me(j *work) *checkpoint.Actor {
	var table proc.Table
	self, _ := table.Get(os.Getpid())
	return checkpoint.NewActor(table.Host(), self, clone.ID(j.s.Repo))
}

func TestOwner_isOneOverAllProcesses(t *testing.T) {
	t.Parallel()
	j := newWork(t)
	var parts []*gittest.Part
	for i := range 8 {
		parts = append(parts, j.play("own", fmt.Sprintf("racer%d", i)))
	}
	held := 0
	for _, p := range parts {
		if said := p.Says(); said == "held" {
			held++
		} else if !strings.Contains(said, "is in use by") {
			t.Errorf("it said %q", said)
		}
	}
	if held != 1 {
		t.Errorf("%d owners at once", held)
	}
	if r := j.load().Run; r.Epoch != 1 {
		t.Errorf("%d claims", r.Epoch)
	}
}

func TestOwner_holdsWhileItLivesAndNoLonger(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	j := newWork(t)
	j.add(checkpoint.Event{Event: checkpoint.TaskStarted, Task: "t"})
	p := j.play("own", "other")
	if said := p.Says(); said != "held" {
		t.Fatal(said)
	}
	_, err := Take(ctx, j.s, j.id, me(j))
	var busy *HeldError
	if !errors.As(err, &busy) || busy.By.PID != p.Process.Pid || busy.Task {
		t.Fatalf("%v", err)
	}
	r := j.load().Run
	if life := FindLife(j.s, &r, proc.Table{}, atWork); !life.OwnerLock || checkpoint.StateOf(&r, life, atWork, 0) != checkpoint.Running {
		t.Errorf("%+v", life)
	}
	p.Kill() // after SIGKILL, the kernel releases the lock
	if life := FindLife(j.s, &r, proc.Table{}, atWork); life.OwnerLock || life.Owner != proc.Dead {
		t.Errorf("after its death: %+v", life)
	}
	if state := checkpoint.StateOf(&r, FindLife(j.s, &r, proc.Table{}, atWork), atWork, 0); state != checkpoint.Interrupted {
		t.Errorf("after its death: %s", state)
	}
	o, err := Take(ctx, j.s, j.id, me(j))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Release()
	if o.Claim.Epoch != 2 {
		t.Errorf("epoch %d", o.Claim.Epoch)
	}
}

func TestOwner_isFencedByALaterClaim(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	j := newWork(t)
	old, err := Take(ctx, j.s, j.id, me(j))
	if err != nil {
		t.Fatal(err)
	}
	defer old.Release()
	if _, err := old.Append(ctx, pause); err != nil {
		t.Fatal(err)
	}
	// Delete the first owner's lock file, so that its lock no longer keeps other processes out.
	if err := os.Remove(ownerLock(j.s, j.id)); err != nil {
		t.Fatal(err)
	}
	p := j.play("own", "newowner")
	if said := p.Says(); said != "held" {
		t.Fatal(said)
	}
	before := j.texts()
	_, err = old.Append(ctx, pause)
	var fenced *journal.FencedError
	if !errors.As(err, &fenced) || fenced.Epoch != 2 || fenced.By.PID != p.Process.Pid {
		t.Fatalf("the old owner's append: %v", err)
	}
	if len(j.texts()) != len(before) {
		t.Error("a fenced owner wrote")
	}
}

func TestOwner_taskThatSurvivesKeepsTheRunBusy(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	j := newWork(t)
	j.add(checkpoint.Event{Event: checkpoint.TaskStarted, Task: "t"})
	p := j.play("task", "other")
	child, err := strconv.Atoi(strings.TrimPrefix(p.Says(), "child "))
	if err != nil || p.Says() != "held" {
		t.Fatal(err)
	}
	p.Kill()
	t.Cleanup(func() { gittest.Kill(child) })
	r := j.load().Run
	life := FindLife(j.s, &r, proc.Table{}, atWork)
	if life.OwnerLock || !life.TaskLock || checkpoint.StateOf(&r, life, atWork, 0) != checkpoint.Running {
		t.Errorf("%+v", life)
	}
	var busy *HeldError
	if _, err := Take(ctx, j.s, j.id, me(j)); !errors.As(err, &busy) || !busy.Task || busy.By.PID != child {
		t.Errorf("%v", err)
	}
	if by := Holder(j.s, j.id); by == nil || by.PID != child {
		t.Errorf("held by %+v", by)
	}
	gittest.Kill(child)
	waitFor(t, "the child's end", func() bool { return !FindLife(j.s, &r, proc.Table{}, atWork).TaskLock })
	o, err := Take(ctx, j.s, j.id, me(j))
	if err != nil {
		t.Fatal(err)
	}
	o.Release()
}

func TestOwner_lockThatNamesNobodyIsHeldAllTheSame(t *testing.T) {
	t.Parallel()
	j := newWork(t)
	lock, err := LockTask(j.s, j.id, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.LetGo()
	other := storeAt(t, j.Dir, j.Env, "other")
	if Holder(other, j.id) == nil {
		t.Error("a held lock without a name counts as free")
	}
	var busy *HeldError
	if _, err := Take(context.Background(), other, j.id, me(j)); !errors.As(err, &busy) {
		t.Errorf("%v", err)
	}
}

func TestOwner_ofOneRunDoesNotHoldAnother(t *testing.T) {
	t.Parallel()
	j := newWork(t)
	j.create("other-abcd")
	a, errA := Take(context.Background(), j.s, j.id, me(j))
	b, errB := Take(context.Background(), j.s, "other-abcd", me(j))
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	a.Release()
	b.Release()
}

// Tasks that run at the same time do not begin in the order of their places, and a place can lose its file.
func TestOrphans_inEveryPlace(t *testing.T) {
	t.Parallel()
	j := newWork(t)
	lock, err := LockTask(j.s, j.id, 3)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.LetGo()
	if found := Orphans(storeAt(t, j.Dir, j.Env, "other"), j.id); len(found) != 1 || found[3] == nil {
		t.Errorf("the task in place 3 is alive, and found were %v", found)
	}
	var busy *HeldError
	if _, err := Take(context.Background(), storeAt(t, j.Dir, j.Env, "third"), j.id, me(j)); !errors.As(err, &busy) {
		t.Errorf("a run with a living task is not held: %v", err)
	}
}
