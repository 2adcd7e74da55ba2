package planning

import (
	"cmp"
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/planfolder"
	"github.com/git-resume/git-resume/internal/textdoc"
	"github.com/git-resume/git-resume/internal/textdoc/yamldoc"
)

type reader struct{ *project }

func read(ctx context.Context, v *sources.View, t sources.Tree) *project {
	p := reader{&project{Folder: planfolder.Folder{Reading: sources.Reading{Ctx: ctx, View: v, Tree: t}, Dir: folder}}}
	p.readState()
	p.readRoadmap()
	p.ReadAgents()
	p.readPause(folder, "")
	for _, e := range p.List(folder + "/phases") {
		if e.IsDir() {
			p.readPhase(folder + "/phases/" + e.Name())
		}
	}
	p.readQuick()
	p.addPlanned()
	slices.SortStableFunc(p.phases, func(a, b *phase) int { return sources.NaturalOrder(a.number, b.number) })
	p.SawFile(p.state.Path)
	return p.project
}

// readPhase reads the folder of a phase. The number of the phase is at the start of the folder's name. A name without a number is used as
// a whole.
func (p reader) readPhase(dir string) {
	ph := &phase{number: cmp.Or(planfolder.LeadingNumber(path.Base(dir)), path.Base(dir)), dir: dir}
	p.phases = append(p.phases, ph)
	p.readPlans(ph, dir)
	p.readPause(dir, path.Base(dir))
}

// readQuick reads the small tasks that belong to no phase. Each of them has its own folder.
func (p reader) readQuick() {
	p.quick = &phase{number: "quick", dir: folder + "/quick"}
	for _, e := range p.List(p.quick.dir) {
		if e.IsDir() {
			p.readPlans(p.quick, p.quick.dir+"/"+e.Name())
		}
	}
	slices.SortStableFunc(p.quick.plans, func(a, b *planFile) int { return sources.NaturalOrder(a.id, b.id) })
}

// planAfterWord matches the name of a plan file in which the number follows the word PLAN, such as 01-PLAN-04.md.
var planAfterWord = textdoc.NewFormWith("-plan-", `^([0-9]{1,6}(?:\.[0-9]{1,4})?)-PLAN-([0-9]{1,4})\.md$`)

func (p reader) readPlans(ph *phase, dir string) {
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
	for _, e := range p.List(dir) {
		file := dir + "/" + e.Name()
		if id, ok := strings.CutSuffix(e.Name(), "PLAN.md"); ok && (id == "" || strings.HasSuffix(id, "-")) {
			at(id).path = file
		}
		if m := planAfterWord.FindStringSubmatch(e.Name()); m != nil {
			at(m[1] + "-" + m[2]).path = file
		}
		if id, ok := strings.CutSuffix(e.Name(), "SUMMARY.md"); ok && (id == "" || strings.HasSuffix(id, "-")) {
			u := at(id)
			u.summary, u.torn = file, isEmpty(e)
			if u.torn {
				p.Doubts.Add(sources.DoubtDamaged, conflicts.Warning, file, "%s is empty: it does not show that plan %s is done", file, u.id)
			}
		}
	}
	slices.SortStableFunc(ph.plans, func(a, b *planFile) int { return sources.NaturalOrder(a.id, b.id) })
}

func isEmpty(e fs.DirEntry) bool {
	info, err := e.Info()
	return err == nil && info.Mode().IsRegular() && info.Size() == 0
}

const pauseFile = ".continue-here.md"

func (p reader) readPause(dir, ofPhase string) {
	file := dir + "/" + pauseFile
	if !p.Tree.Has(file) {
		return
	}
	n := pause{path: file, phase: ofPhase}
	p.Markdown(file, func(text string) error {
		front, _, err := yamldoc.FrontMatter(text)
		n.phase = cmp.Or(front.Get("phase").Text(), n.phase)
		n.plan, n.task, n.of = front.Get("plan").Text(), front.Get("task").Text(), front.Get("total_tasks").Text()
		n.status, n.at = front.Get("status").Text(), front.Get("last_updated").Text()
		return err
	})
	p.SawText(n.at, pauseFile)
	p.pauses = append(p.pauses, n)
}

// addPlanned adds the phases that exist only in the roadmap and are not closed there.
func (p reader) addPlanned() {
	for _, rp := range p.roadmap.phases {
		if rp.standing != closed && p.phaseOf(rp.number) == nil {
			p.phases = append(p.phases, &phase{number: rp.number})
		}
	}
}

func (p reader) readState() {
	s := &p.state
	p.ReadState(&s.StateFile, s.parse)
	p.SawLabels(s.Labels, s.Path, "last_updated", "last session", "last activity", "last updated")
	if when, by := p.View.Written(p.Ctx, p.Tree, s.Path); by == "commit" {
		p.Saw(when, "the time of STATE.md") // the commit counts as activity, because people do not always change the date in the file
	}
}

func (p reader) readRoadmap() {
	r := &p.roadmap
	r.path = folder + "/ROADMAP.md"
	if r.there = p.Tree.Has(r.path); r.there {
		p.Markdown(r.path, r.parse)
	}
}
