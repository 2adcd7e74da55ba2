package conversation

import (
	"errors"
	"slices"

	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/start"
	"github.com/git-resume/git-resume/internal/screen"
	"github.com/git-resume/git-resume/internal/screen/outcome"
	"github.com/git-resume/git-resume/internal/screen/prompt"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/staging"
)

// Start starts a run, or continues the same run if it is open. If similar work is open, it asks a user at a terminal what to do.
func Start(t *Talk, q start.Request) error {
	st, err := t.Engine.Starting.Start(t.Context, q)
	var open *start.OpenWorkError
	if errors.As(err, &open) && t.Person.CanAnswer() {
		return own{t}.openAlready(q, open)
	}
	if err != nil {
		return err
	}
	return own{t}.beginOrGoOn(st)
}

// beginOrGoOn shows the run that "git resume start" made or found, and executes its commands. If "git resume start" found an open run that
// is paused, an open run with commands whose work has already started, or one that has places for several tasks, beginOrGoOn first assesses
// that run, as "git resume" does.
func (t own) beginOrGoOn(st *staging.Started) error {
	r := &st.Journal.Run
	if st.Done {
		outcome.FinishedBefore(t.Person.Screen(), st)
		t.Engine.Store.Folder().ClearUnreported(r.ID)
		return nil
	}
	if !st.Again || !r.Paused && len(r.Places) == 0 && (len(st.Commands) == 0 || !r.Begun()) {
		return continuing(t).begin(st)
	}
	st.Held.Release() // continueRun takes the lock again after it has assessed the run
	w, err := t.wish(true)
	if err != nil {
		return err
	}
	if !r.Paused { // a paused run may stay paused, so do not show its worktree yet
		outcome.Started(t.Person.Screen(), st)
	}
	return t.continueRun(candidate.RunKey(r.ID), w)
}

// openAlready asks what to do if there is already open work with the same name, plan file or spec.
func (t own) openAlready(q start.Request, open *start.OpenWorkError) error {
	s := t.Person.Screen()
	screen.OpenAlready(s, open)
	keys, key := prompt.StartedAlready(&open.Runs[0]), open.Runs[0].Key()
	no := prompt.Key{Name: "q", Does: "leave everything as it is"}
	prompt.List(s, append(slices.Clip(keys), no))
	answer, err := t.put(question{kind: askStartedAlready, text: "Which?", keys: keys, no: no, def: "c", diff: differences(t).built(&open.Runs[0])})
	if err != nil {
		return err
	}
	switch answer.key {
	case "c":
		w, err := t.wish(true)
		if err != nil {
			return err
		}
		return t.continueRun(key, w)
	case "r", "m":
		return foreign(t).chooseAlternative(key, map[string]string{"r": candidate.AltReview, "m": candidate.AltMerge}[answer.key])
	case "f":
		if open.Runs[0].Found != nil {
			return foreign(t).chooseAlternative(key, sources.StartFresh)
		}
		return continuing(t).restart(&open.Runs[0])
	}
	q.New = true
	st, err := t.Engine.Starting.Start(t.Context, q)
	if err != nil {
		return err
	}
	return continuing(t).begin(st)
}
