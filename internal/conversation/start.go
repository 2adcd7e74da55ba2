package conversation

import (
	"errors"
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/start"
	"github.com/git-resume/git-resume/internal/screen"
	"github.com/git-resume/git-resume/internal/screen/outcome"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/staging"
)

// Start begins a run, or goes on with the one that it would begin again.
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

// beginOrGoOn: a start that found its own open run is judged like every other way to go on.
func (t own) beginOrGoOn(st *staging.Started) error {
	r := &st.Journal.Run
	if st.Done {
		outcome.FinishedBefore(t.Person.Screen(), st)
		t.Engine.Store.Folder().Told(r.ID)
		return nil
	}
	if !st.Again || !r.Paused && (len(st.Commands) == 0 || !r.Begun()) {
		return advancing(t).begin(st)
	}
	st.Held.Release() // whoever goes on takes it again, after a look at how it stands
	w, err := t.wish(true)
	if err != nil {
		return err
	}
	if !r.Paused { // nobody goes there otherwise
		outcome.Started(t.Person.Screen(), st)
	}
	return t.goOn(candidate.RunKey(r.ID), w)
}

// openAlready asks what to do about work of the same name, plan file or spec that is open.
func (t own) openAlready(q start.Request, open *start.OpenWorkError) error {
	screen.OpenAlready(t.Person.Screen(), open)
	fmt.Fprint(t.Streams.Err, "Which? [c,r,m,f,b,q] (c) ")
	key := open.Runs[0].Key()
	switch answer := strings.ToLower(t.Person.Line()); answer {
	case "", "c":
		w, err := t.wish(true)
		if err != nil {
			return err
		}
		return t.goOn(key, w)
	case "r", "m":
		return foreign(t).chooseAlternative(key, map[string]string{"r": candidate.AltReview, "m": candidate.AltMerge}[answer])
	case "f":
		if open.Runs[0].Found != nil {
			return foreign(t).chooseAlternative(key, sources.StartFresh)
		}
		return advancing(t).restart(key.Run())
	case "b":
		q.New = true
		st, err := t.Engine.Starting.Start(t.Context, q)
		if err != nil {
			return err
		}
		return advancing(t).begin(st)
	}
	return exit.Code(exit.No)
}
