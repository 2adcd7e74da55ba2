package handler

import (
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/drivers"
	"github.com/git-resume/git-resume/internal/exchange"
	"github.com/git-resume/git-resume/internal/handler/agentevent"
	"github.com/git-resume/git-resume/internal/handler/compare"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/handler/doctor"
	"github.com/git-resume/git-resume/internal/handler/merge"
	"github.com/git-resume/git-resume/internal/handler/purge"
	"github.com/git-resume/git-resume/internal/handler/repair"
	"github.com/git-resume/git-resume/internal/handler/reporting"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/handler/saved"
	"github.com/git-resume/git-resume/internal/handler/sharing"
	"github.com/git-resume/git-resume/internal/handler/start"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
)

// Engine has the operations of git-resume on one repository.
type Engine struct {
	*site.Site
	Find      *candidate.Finder
	Tasks     *tasks.Tasks
	Staging   *staging.Stager
	Adopt     *adopt.Adopter
	Judge     *assess.Judge
	Starting  *start.Starter
	Reporting *reporting.Reporter
	Dropping  *discard.Discarder
	Undoing   *discard.Undoer
	Merging   *merge.Merger
	Executing *resume.Executer
	Taking    *resume.Taker
	Resuming  *resume.Resumer
	Repairing *repair.Repairer
	Checking  *doctor.Checker
	Viewing   *compare.Viewer
	Saved     *saved.Keeper
	Purging   *purge.Purger
	Listening *agentevent.Listener
	Sharing   *sharing.Sharer
}

// New creates an Engine and connects its parts.
func New(site site.Site, all ...sources.Source) *Engine {
	e := &Engine{Site: &site}
	drivers.Connect(e.Site)
	e.Find = &candidate.Finder{Site: e.Site, Sources: all}
	e.Tasks = &tasks.Tasks{Site: e.Site, Find: e.Find}
	e.Staging = &staging.Stager{Site: e.Site}
	e.Adopt = &adopt.Adopter{Site: e.Site, Find: e.Find, Staging: e.Staging}
	e.Judge = &assess.Judge{Site: e.Site, Find: e.Find, Tasks: e.Tasks, Staging: e.Staging, Adopt: e.Adopt}
	e.Starting = &start.Starter{Site: e.Site, Find: e.Find, Tasks: e.Tasks, Staging: e.Staging}
	e.Reporting = &reporting.Reporter{Site: e.Site, Find: e.Find, Tasks: e.Tasks, Staging: e.Staging}
	e.Dropping = &discard.Discarder{Site: e.Site, Find: e.Find, Staging: e.Staging, Adopt: e.Adopt}
	e.Undoing = &discard.Undoer{Site: e.Site, Find: e.Find, Staging: e.Staging, Adopt: e.Adopt, Dropping: e.Dropping}
	e.Merging = &merge.Merger{Site: e.Site, Find: e.Find, Adopt: e.Adopt, Judge: e.Judge, Dropping: e.Dropping}
	e.Executing = &resume.Executer{Site: e.Site, Tasks: e.Tasks, Staging: e.Staging}
	e.Taking = &resume.Taker{Site: e.Site, Find: e.Find, Staging: e.Staging}
	e.Resuming = &resume.Resumer{Site: e.Site, Executing: e.Executing, Taking: e.Taking, Find: e.Find, Tasks: e.Tasks, Staging: e.Staging, Adopt: e.Adopt, Judge: e.Judge, Starting: e.Starting, Reporting: e.Reporting, Dropping: e.Dropping}
	e.Repairing = &repair.Repairer{Site: e.Site, Staging: e.Staging}
	e.Checking = &doctor.Checker{Site: e.Site, Find: e.Find, Staging: e.Staging}
	e.Viewing = &compare.Viewer{Site: e.Site}
	e.Saved = &saved.Keeper{Site: e.Site, Find: e.Find, Staging: e.Staging, Reporting: e.Reporting}
	e.Purging = &purge.Purger{Site: e.Site, Find: e.Find, Staging: e.Staging, Dropping: e.Dropping}
	e.Listening = &agentevent.Listener{Site: e.Site}
	e.Sharing = &sharing.Sharer{Site: e.Site, Find: e.Find, Tasks: e.Tasks, Staging: e.Staging, Exchange: &exchange.Exchanger{Site: e.Site}}
	return e
}
