package resume

import "github.com/git-resume/git-resume/internal/sources"

// Engine is all that can be done for one user in one repository.
type Engine struct {
	*Site
	Find      *Finder
	Tasks     *Tasks
	Staging   *Stager
	Adopt     *Adopter
	Judge     *Judge
	Starting  *Starter
	Reporting *Reporter
	Dropping  *Dropper
	Merging   *Merger
	Resuming  *Resumer
	Repairing *Repairer
	Checking  *Checker
	Viewing   *Viewer
}

// New puts everything together.
func New(site Site, all ...sources.Source) *Engine {
	e := &Engine{Site: &site}
	e.Find = &Finder{Site: e.Site, Sources: all}
	e.Tasks = &Tasks{Site: e.Site, Find: e.Find}
	e.Staging = &Stager{Site: e.Site}
	e.Adopt = &Adopter{Site: e.Site, Find: e.Find, Staging: e.Staging}
	e.Judge = &Judge{Site: e.Site, Find: e.Find, Tasks: e.Tasks, Staging: e.Staging, Adopt: e.Adopt}
	e.Starting = &Starter{Site: e.Site, Find: e.Find, Tasks: e.Tasks, Staging: e.Staging}
	e.Reporting = &Reporter{Site: e.Site, Find: e.Find, Tasks: e.Tasks, Staging: e.Staging}
	e.Dropping = &Dropper{Site: e.Site, Find: e.Find, Staging: e.Staging, Adopt: e.Adopt, Reporting: e.Reporting}
	e.Merging = &Merger{Site: e.Site, Find: e.Find, Adopt: e.Adopt, Judge: e.Judge, Dropping: e.Dropping}
	e.Resuming = &Resumer{Site: e.Site, Find: e.Find, Tasks: e.Tasks, Staging: e.Staging, Adopt: e.Adopt, Judge: e.Judge, Starting: e.Starting, Reporting: e.Reporting, Dropping: e.Dropping}
	e.Repairing = &Repairer{Site: e.Site, Staging: e.Staging, Reporting: e.Reporting}
	e.Checking = &Checker{Site: e.Site, Find: e.Find, Staging: e.Staging}
	e.Viewing = &Viewer{Site: e.Site}
	return e
}
