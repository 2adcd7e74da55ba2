package autoclaude

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// plan is the content of an implementation_plan.json, written by any version of Auto-Claude.
type plan struct {
	title, specID      string
	status, planStatus string
	note               string
	word               string // the plan's word for an item, such as "chunk" or "subtask"
	phases             []phase
	signoff            signoff
	updated, created   stamp
	latest             stamp // the latest time in the plan
	rounds             int   // number of quality checks
}

type phase struct {
	name  string
	names []string // all names by which other phases can refer to this phase
	needs []string
	items []item
	// parallel means that the items do not build on each other.
	parallel bool
}

type item struct {
	id    string // the id, made unique within the plan
	own   string // the id as written in the file
	title string
	raw   string
	state checkpoint.TaskState
	files []string
	// created has the files that the item creates, and files of which the plan does not say whether it creates or changes them.
	created []string
	// at lists the paths to the item in the file. There are two if the item is in both lists, "subtasks" and "chunks".
	at           [][]any
	began, ended time.Time
}

func (i item) finished() bool { return i.state == checkpoint.Done || i.state == checkpoint.Skipped }

// stamp is a time, and where it was read, for example "plan" or "commit". The field "naive" is true if the time was written without a
// time zone.
type stamp struct {
	at    time.Time
	naive bool
	from  string
}

func stampOf(v textdoc.Value, from string) stamp {
	t, naive, ok := sources.ParseTime(v.Text())
	if !ok {
		return stamp{}
	}
	return stamp{t, naive, from}
}

// later returns the later of two times. It ignores times that are more than a day in the future, because they must be wrong.
func (s stamp) later(o stamp, now time.Time) stamp {
	ahead := now.Add(24 * time.Hour)
	if o.at.After(ahead) || o.at.IsZero() {
		return s
	}
	if s.at.IsZero() || o.at.After(s.at) || s.at.After(ahead) {
		return o
	}
	return s
}

// signoff is the result of the quality check.
type signoff struct {
	word    string
	verdict verdict
	request string // the name of the file with the requested repairs
}

// said returns what the quality check said: its word in quotes, or "nothing".
func (s signoff) said() string {
	if s.word == "" {
		return "nothing"
	}
	return "'" + s.word + "'"
}

type verdict int

const (
	unchecked verdict = iota
	approved
	rejected
	repaired // the rejected build was repaired, but not checked again
)

const planFile = "implementation_plan.json"

func parsePlan(data []byte, now time.Time) (*plan, error) {
	v, err := textdoc.ParseJSON(data)
	if err != nil {
		return nil, err
	}
	if !v.IsObject() {
		return nil, &textdoc.DamageError{Why: "is not a JSON object"}
	}
	p := &plan{
		title: firstLine(v.Get("feature", "title", "name", "spec_name").Text()), specID: firstLine(v.Get("spec_id", "spec_name").Text()),
		status: firstLine(v.Get("status").Text()), planStatus: firstLine(v.Get("planStatus", "plan_status").Text()), note: firstLine(v.Get("recoveryNote").Text()),
		created: stampOf(v.Get("created_at"), "plan"), signoff: signoffOf(v.Get("qa_signoff")),
		rounds: len(v.Get("qa_iteration_history").Items()),
	}
	for _, name := range []string{"updated_at", "last_updated"} {
		p.updated = p.updated.later(stampOf(v.Get(name), "plan"), now)
	}
	p.latest = p.updated.later(p.created, now)
	p.latest = p.latest.later(stampOf(v.Get("qa_signoff").Get("timestamp"), "quality check"), now)
	p.readPhases(v, now)
	p.number()
	return p, nil
}

func signoffOf(v textdoc.Value) signoff {
	s := signoff{word: firstLine(v.Get("status", "result", "verdict").Text()), request: v.Get("fix_request_file").Text()}
	if s.word == "" {
		s.word = firstLine(v.Text()) // some plans have a single word instead of an object
	}
	if s.word == "" && v.Get("approved").True() {
		s.word = "approved"
	}
	switch sources.FoldWord(s.word) {
	case "approved", "passed", "pass", "accepted", "true":
		s.verdict = approved
	case "rejected", "failed", "fail", "needsfixes":
		s.verdict = rejected
	case "fixesapplied", "fixed", "readyforrevalidation":
		s.verdict = repaired
	}
	return s
}

func (p *plan) readPhases(v textdoc.Value, now time.Time) {
	listed := v.Get("phases")
	for i, ph := range listed.Items() {
		p.phases = append(p.phases, p.phase(ph, i, []any{"phases", i}, now))
	}
	for i, f := range listed.Fields() { // some plans have a map of phases instead of a list
		ph := p.phase(f.Value, i, []any{"phases", f.Key}, now)
		ph.names = append(ph.names, f.Key)
		p.phases = append(p.phases, ph)
	}
	if flat := p.items(v, "1", nil, now); len(p.phases) == 0 && len(flat) > 0 {
		p.phases = []phase{{items: flat}}
	}
}

func (p *plan) phase(v textdoc.Value, i int, at []any, now time.Time) phase {
	ph := phase{name: firstLine(v.Get("name", "phase_name", "title").Text()), needs: v.Get("depends_on", "dependencies").Texts(), parallel: v.Get("parallel_safe").True()}
	for _, key := range []string{"id", "phase", "phase_id", "name", "phase_name"} {
		if name := v.Get(key).Text(); name != "" {
			ph.names = append(ph.names, name)
		}
	}
	if len(ph.names) == 0 {
		ph.names = []string{strconv.Itoa(i + 1)}
	}
	if ph.name == "" {
		ph.name = ph.names[0]
	}
	ph.items = p.items(v, ph.names[0], at, now)
	return ph
}

// items reads the items of a phase, or of a plan without phases. If there are two lists, "subtasks" and "chunks", it uses the list that was
// updated later.
func (p *plan) items(v textdoc.Value, in string, at []any, now time.Time) []item {
	subtasks, at1 := p.list(v, "subtasks", in, at, now)
	chunks, at2 := p.list(v, "chunks", in, at, now)
	for _, key := range []string{"tasks", "items"} { // plans written by agents may use these names instead
		if len(subtasks)+len(chunks) == 0 {
			subtasks, at1 = p.list(v, key, in, at, now)
		}
	}
	lead, other := subtasks, chunks
	if len(subtasks) == 0 || len(chunks) > 0 && at2.later(at1, now) == at2 && at2 != at1 {
		lead, other = chunks, subtasks
	}
	for i := range lead {
		for _, o := range other {
			if o.own == lead[i].own {
				lead[i].at = append(lead[i].at, o.at...)
			}
		}
	}
	return lead
}

func (p *plan) list(v textdoc.Value, key, in string, at []any, now time.Time) (out []item, last stamp) {
	for i, it := range v.Get(key).Items() {
		if p.word == "" {
			p.word = strings.TrimSuffix(key, "s")
		}
		one := itemOf(it, fmt.Sprintf("%s.%d", in, i+1))
		one.at = [][]any{append(slices.Clone(at), key, i)}
		for _, name := range []string{"updated_at", "completed_at", "started_at"} {
			last = last.later(stampOf(it.Get(name), p.word), now)
		}
		p.latest = p.latest.later(last, now)
		out = append(out, one)
	}
	return out, last
}

func itemOf(v textdoc.Value, unnamed string) item {
	it := item{own: firstLine(v.Get("id", "subtask_id", "chunk_id").Text()), raw: firstLine(v.Get("status").Text())}
	it.title = firstLine(v.Get("description", "title", "name").Text())
	if !v.IsObject() {
		it.title = firstLine(v.Text())
	}
	if it.own == "" {
		it.own = unnamed
	}
	it.id = it.own
	it.created = append(v.Get("files_to_create").Texts(), v.Get("files").Texts()...)
	it.files = append(v.Get("files_to_modify").Texts(), it.created...)
	it.began, it.ended = stampOf(v.Get("started_at"), "").at, stampOf(v.Get("completed_at"), "").at
	it.state = stateOf(it.raw)
	if it.state == checkpoint.Done && v.Get(skippedAt).Text() != "" {
		it.state = checkpoint.Skipped
	}
	return it
}

// skippedAt is the JSON field that marks an item as skipped by a person. The status of a skipped item is "completed", so that Auto-Claude
// starts the later phases.
const skippedAt = "skipped_at"

func stateOf(word string) checkpoint.TaskState {
	switch sources.FoldWord(word) {
	case "":
		return checkpoint.Pending
	case "stuck", "needsattention":
		return checkpoint.Blocked
	}
	return sources.MeaningOf(word).TaskState()
}

// number makes the ids unique, because some plans number the items of every phase from 1.
func (p *plan) number() {
	seen := map[string]int{}
	for it := range p.all() {
		seen[it.own]++
	}
	again := map[string]int{}
	for i := range p.phases {
		ph := &p.phases[i]
		for j := range ph.items {
			it := &ph.items[j]
			if seen[it.own] > 1 && len(ph.names) > 0 {
				it.id = ph.names[0] + "/" + it.own
			}
			if again[it.id]++; again[it.id] > 1 {
				it.id = fmt.Sprintf("%s#%d", it.id, again[it.id])
			}
		}
	}
}

// inOrder returns the phases in the order in which they can be worked on: in the order of the file, but each after the phases that it
// depends on. Phases that wait for each other stay in the order of the file.
func (p *plan) inOrder() []phase {
	var out []phase
	placed := make([]bool, len(p.phases))
	after := make([][]int, len(p.phases))
	for i, ph := range p.phases {
		for _, need := range ph.needs {
			if on, ok := p.phaseNamed(need); ok && on != i {
				after[i] = append(after[i], on)
			}
		}
	}
	waits := func(i int) bool { return slices.ContainsFunc(after[i], func(on int) bool { return !placed[on] }) }
	for range p.phases {
		next := -1
		for i := range p.phases {
			if !placed[i] && (next < 0 || waits(next) && !waits(i)) {
				next = i
			}
		}
		placed[next] = true
		out = append(out, p.phases[next])
	}
	return out
}

func (p *plan) all() iter.Seq[item] {
	return func(yield func(item) bool) {
		for _, ph := range p.phases {
			for _, it := range ph.items {
				if !yield(it) {
					return
				}
			}
		}
	}
}

// count returns four numbers: all items, and the finished, active and failed items.
func (p *plan) count() (all, finished, active, failed int) {
	for it := range p.all() {
		all++
		switch {
		case it.finished():
			finished++
		case it.state == checkpoint.Active:
			active++
		case it.state == checkpoint.Failed:
			failed++
		}
	}
	return all, finished, active, failed
}

// skipped counts the items that a person skipped.
func (p *plan) skipped() int {
	n := 0
	for it := range p.all() {
		if it.state == checkpoint.Skipped {
			n++
		}
	}
	return n
}

// find returns the item with the given id. If several items have the same id in the file, their ids were changed to make them unique. The
// id as written in the file is accepted too, but only if no other item has it.
func (p *plan) find(id string) (item, bool) {
	var found []item
	for it := range p.all() {
		if it.id == id {
			return it, true
		}
		if it.own == id {
			found = append(found, it)
		}
	}
	if len(found) == 1 {
		return found[0], true
	}
	return item{}, false
}

// isClosed reports whether the plan's status says that the spec is done, archived or merged, or has a pull request. It returns false if
// the quality check rejected the spec or must still check a repair.
func (p *plan) isClosed() bool {
	switch sources.FoldWord(p.status) {
	case "done", "prcreated", "archived", "merged":
		return p.signoff.verdict == unchecked || p.signoff.verdict == approved
	}
	return false
}

// openItems lists the ids of the first 20 unfinished items.
func (p *plan) openItems() []string {
	var out []string
	const most = 20
	for it := range p.all() {
		if !it.finished() && len(out) < most {
			out = append(out, it.id)
		}
	}
	return out
}

// progressText says how many items are done. It counts skipped items separately, because they are finished but not done.
func (p *plan) progressText() string {
	all, finished, _, _ := p.count()
	skipped := p.skipped()
	text := fmt.Sprintf("%d of %s done", finished-skipped, sources.Count(all, p.word, p.word+"s"))
	if skipped > 0 {
		text += fmt.Sprintf(", %d skipped", skipped)
	}
	return text
}
