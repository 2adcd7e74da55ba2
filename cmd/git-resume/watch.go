package main

import (
	"bytes"
	"errors"
	"time"

	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/screen/machine"
	"github.com/git-resume/git-resume/internal/screen/status"
)

// prompt prints one word for a shell's prompt, or nothing. It never fails, whatever the current directory is.
func (cs commands) prompt() error {
	e, err := cs.call.engine()
	if err != nil {
		return nil
	}
	if runs, err := e.Find.Noticed(cs.call.ctx); err == nil {
		status.Prompt(cs.call.Screen(), runs)
	}
	return nil
}

// watchEach is how often the state is read; reading it takes a few milliseconds.
const watchEach = 500 * time.Millisecond

// watch prints a record for each change, until the named run is over or the user stops it.
func (cs commands) watch(run string, all bool, form output) error {
	var last []byte
	for {
		e, err := cs.call.engine() // opened again each time, because nothing from the last look can be relied on
		if err != nil {
			return err
		}
		runs, err := cs.statusOf(e, run, all)
		if err != nil {
			return err
		}
		form.systems = e.Find.Systems()
		now, err := fingerprint(runs)
		if err != nil {
			return err
		}
		if !bytes.Equal(now, last) {
			last = now
			if err := errors.Join(cs.show(form, runs, run, ""), cs.call.out.failed()); err != nil {
				return err
			}
		}
		cs.call.close()
		if run != "" && len(runs) == 1 && runs[0].Run.Closed() {
			return nil
		}
		select {
		case <-cs.call.ctx.Done():
			return nil
		case <-time.After(watchEach):
		}
	}
}

// fingerprint is the state without the parts that only the clock changes.
func fingerprint(runs []candidate.Summary) ([]byte, error) {
	var b bytes.Buffer
	err := machine.JSON(&b, runs, time.Time{})
	return b.Bytes(), err
}
