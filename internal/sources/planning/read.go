package planning

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

func read(ctx context.Context, v *sources.View, t sources.Tree) *project {
	p := &project{ctx: ctx, view: v, tree: t}
	p.readState()
	p.readRoadmap()
	agents, doubts := v.ReadAgents(ctx, t, folder)
	p.agents, p.doubts = agents, append(p.doubts, doubts...)
	p.seen(agents.MarkerPath, agents.HistoryPath)
	p.saw(agents.Active(), "agent-history.json")
	p.readPause(folder, "")
	for _, e := range p.list(folder + "/phases") {
		if e.IsDir() {
			p.readPhase(folder + "/phases/" + e.Name())
		}
	}
	p.readQuick()
	p.addPlanned()
	slices.SortStableFunc(p.phases, func(a, b *phase) int { return sources.NaturalOrder(a.number, b.number) })
	if p.active.IsZero() {
		when, _ := p.view.Written(p.ctx, p.tree, p.state.path)
		p.saw(when, "the time of STATE.md")
	}
	return p
}

func (p *project) list(dir string) []fs.DirEntry {
	if !p.tree.Has(dir) {
		return nil
	}
	entries, err := p.tree.List(dir)
	if err != nil {
		p.doubts = append(p.doubts, sources.DoubtOf(err, dir))
	}
	return entries
}

func (p *project) doubt(code string, grade conflicts.Severity, file, format string, args ...any) {
	p.doubts = append(p.doubts, sources.Doubt{Code: code, Severity: grade, Path: file, Text: fmt.Sprintf(format, args...)})
}

func (p *project) seen(files ...string) {
	for _, f := range files {
		if p.tree.Has(f) {
			p.files = append(p.files, f)
		}
	}
}

// saw notes a sign of life and what it was taken from.
func (p *project) saw(when time.Time, by string) {
	if when.After(p.active) {
		p.active, p.activeBy = when, by
	}
}

// readPhase takes in one folder; its name begins with its number.
func (p *project) readPhase(dir string) {
	number := sources.LeadingNumber(path.Base(dir))
	if number == "" {
		number = path.Base(dir)
	}
	ph := &phase{number: number, dir: dir}
	p.phases = append(p.phases, ph)
	p.readPlans(ph, dir)
	p.readPause(dir, path.Base(dir))
}

// readQuick takes in small tasks: each has a folder of its own.
func (p *project) readQuick() {
	p.quick = &phase{number: "quick", dir: folder + "/quick"}
	for _, e := range p.list(p.quick.dir) {
		if e.IsDir() {
			p.readPlans(p.quick, p.quick.dir+"/"+e.Name())
		}
	}
	slices.SortStableFunc(p.quick.plans, func(a, b *planFile) int { return sources.NaturalOrder(a.id, b.id) })
}

func (p *project) readPlans(ph *phase, dir string) {
	byID := map[string]*planFile{}
	at := func(id string) *planFile {
		id = strings.TrimSuffix(id, "-")
		if id == "" {
			id = ph.number
		}
		if byID[id] == nil {
			byID[id] = &planFile{id: id, phase: ph}
			ph.plans = append(ph.plans, byID[id])
		}
		return byID[id]
	}
	for _, e := range p.list(dir) {
		file := dir + "/" + e.Name()
		if id, ok := strings.CutSuffix(e.Name(), "PLAN.md"); ok && (id == "" || strings.HasSuffix(id, "-")) {
			at(id).path = file
		}
		if id, ok := strings.CutSuffix(e.Name(), "SUMMARY.md"); ok && (id == "" || strings.HasSuffix(id, "-")) {
			u := at(id)
			u.summary, u.torn = file, isEmpty(e)
			if u.torn {
				p.doubt(sources.DoubtDamaged, conflicts.Warning, file, "%s is empty: it does not show that plan %s is done", file, u.id)
			}
		}
	}
	slices.SortStableFunc(ph.plans, func(a, b *planFile) int { return sources.NaturalOrder(a.id, b.id) })
}

func isEmpty(e fs.DirEntry) bool {
	info, err := e.Info()
	return err == nil && info.Mode().IsRegular() && info.Size() == 0
}

// load reads the plan itself; only those that are shown as work to do are read.
func (p *project) load(u *planFile) {
	if u.path == "" || u.doc.Front.Is() || u.doc.Title != "" {
		return
	}
	_, doubts := p.view.Recover(p.ctx, p.tree, u.path, func(data []byte) error {
		text, err := sources.Markdown(data)
		if err != nil {
			return err
		}
		u.doc, err = sources.ReadPlanDoc(text)
		return err
	})
	p.doubts = append(p.doubts, doubts...)
}

const pauseFile = ".continue-here.md"

func (p *project) readPause(dir, ofPhase string) {
	file := dir + "/" + pauseFile
	if !p.tree.Has(file) {
		return
	}
	p.files = append(p.files, file)
	n := pause{path: file, phase: ofPhase}
	_, doubts := p.view.Recover(p.ctx, p.tree, file, func(data []byte) error {
		text, err := sources.Markdown(data)
		if err != nil {
			return err
		}
		front, _, err := sources.FrontMatter(text)
		if phase := front.Get("phase").Text(); phase != "" {
			n.phase = phase
		}
		n.plan, n.task, n.of = front.Get("plan").Text(), front.Get("task").Text(), front.Get("total_tasks").Text()
		n.status, n.at = front.Get("status").Text(), front.Get("last_updated").Text()
		return err
	})
	p.doubts = append(p.doubts, doubts...)
	if when, _, ok := sources.ParseTime(n.at); ok {
		p.saw(when, pauseFile)
	}
	p.pauses = append(p.pauses, n)
}

// addPlanned adds the phases that only the roadmap knows and does not call closed.
func (p *project) addPlanned() {
	for _, rp := range p.roadmap.phases {
		if rp.standing != closed && p.phaseOf(rp.number) == nil {
			p.phases = append(p.phases, &phase{number: rp.number})
		}
	}
}
