package planfiles

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// namedPhases matches the forms in which people name phases in a commit subject: "Phase 3", "phase 6+7", "Phases 1 - 3".
var namedPhases = textdoc.NewForm(`(?i)(?:\bphases?|\bfases?|阶段|階段|フェーズ|단계)[ \t]*#?([0-9]{1,3}(?:[ \t]*[-–~+&,/、][ \t]*[0-9]{1,3})*)(?:[^\pL\pN.]|$)`)

// notWork matches the subjects of commits that may name a phase but do not complete it, such as "docs: phase 2".
var notWork = textdoc.NewForm(`(?i)^(?:docs?|plan|planning|wip|start|begin)\b`)

// addCommits notes which pending phases were carried out, because people and agents often commit a phase and do not change the plan. It
// looks for commits on the checked out branch whose subject has the number of the phase. It considers only plans that were committed in the
// last 30 days. A commit counts for the plan that was written last before it. The commit that added the plan counts only if it changed code.
func addCommits(ctx context.Context, v *sources.View, t sources.Tree, all []*work) {
	oldest := v.Now
	all = slices.DeleteFunc(slices.Clone(all), func(w *work) bool {
		when, by := v.Written(ctx, t, w.file)
		if w.written = when; when.Before(oldest) && by == "commit" {
			oldest = when
		}
		return by != "commit" || v.Now.Sub(when) > diaryTime || !slices.ContainsFunc(w.plan.phases, (*phase).waits)
	})
	if len(all) == 0 {
		return
	}
	h := v.Recent.History(ctx, oldest)
	here := h.Within(v.Head(ctx, t))
	for c := range h.Newer(oldest) {
		ids := phasesIn(c.Subject)
		if len(ids) == 0 || !here(c.ID) {
			continue
		}
		var of *work
		for _, w := range all {
			if !w.written.After(c.When) && (of == nil || w.written.After(of.written)) {
				of = w
			}
		}
		if of == nil {
			continue
		}
		if by, _ := v.NewestCommit(ctx, t, of.file); by != c.ID || !v.OnlyPlans(ctx, c.ID, of.file, of.file) {
			of.plan.name(ids, c.ID)
		}
	}
	for _, w := range all {
		last := -1
		for i, p := range w.plan.phases {
			if p.named != "" {
				last = i
			}
		}
		for i, p := range w.plan.phases {
			p.passed = i < last
		}
	}
}

// The method waits() reports whether a phase is not started, according to the plan.
func (p *phase) waits() bool {
	return !p.begun() && (p.wordLine == 0 || p.means == sources.MeansPending || p.means == sources.MeansReady)
}

// The method name() notes that the given commit names the phases with the given ids. It does so only for phases that are not started,
// according to the plan.
func (p *plan) name(ids []string, by object.ID) {
	for _, ph := range p.phases {
		if slices.Contains(ids, ph.id) && ph.waits() {
			ph.named = by
		}
	}
}

// dashes changes a range of phases such as "1 – 3" to the form "1-3".
var dashes = strings.NewReplacer(" ", "", "\t", "", "–", "-", "~", "-")

// phasesIn returns the numbers of the phases that were carried out, according to a commit subject.
func phasesIn(subject string) (ids []string) {
	if notWork.MatchString(subject) {
		return nil
	}
	for _, m := range namedPhases.FindAllStringSubmatch(subject, -1) {
		for _, part := range strings.FieldsFunc(dashes.Replace(m[1]), func(r rune) bool { return strings.ContainsRune("+&,/、", r) }) {
			ends := strings.Split(part, "-")
			a, errA := strconv.Atoi(ends[0])
			b, errB := strconv.Atoi(ends[len(ends)-1])
			if errA != nil || errB != nil {
				continue
			}
			if b < a {
				b = a // "Phase 3 - 2 bugs fixed" is not a range
			}
			for b = min(b, a+mostPhases); a <= b; a++ {
				ids = append(ids, strconv.Itoa(a))
			}
		}
	}
	return ids
}
