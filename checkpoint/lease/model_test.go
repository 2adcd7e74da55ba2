package lease

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/gittest"
)

// The model explores what can happen to two clones which want to do the one task of a shared run. The remote's journal is one register
// that moves by compare-and-swap. Messages are delayed, answers are lost, clones are killed and start again, anybody may take over, and a
// person may add an answer. The clones decide with the functions of this package.

// bounds limit the model. Within them, every order of steps is explored.
type bounds struct {
	restarts int8 // how often each clone may be killed and start again
	lines    int  // how many lines the journal may have
	inFlight int  // how many messages may be on their way at once
}

// phase is what a clone is doing.
type phase int8

const (
	idle phase = iota
	leasing
	looksAfterLease
	working
	sending
	looksAfterResult
	acknowledged
	stopped
	dead
)

// message is a push, which replaces the journal "old" at the remote by "new". If the remote has another journal than "old", nothing
// happens.
type message struct {
	from     int8
	life     int8
	old, new int32
}

// clone is one of the two clones. It names lines and journals by their numbers in the tables of the model. The number 0 means no line, or
// the empty journal.
type clone struct {
	phase phase
	life  int8
	view  int32
	sent  message
	// These are numbers of lines in the table "lines" of the model. The clone got its lease with the line "lease", and last tried to take
	// one with the line "asked". The line "kept" has the result of the clone's work, which a kill does not remove.
	lease, asked, kept int32
	// refused is a lease that the remote did not accept. It is set only if the bug "lease before it is accepted" is planted.
	refused int32
	answer  int8 // the remote's answer to the last push: 0 none yet, 1 yes, 2 no
}

type state struct {
	journal int32
	clones  [2]clone
	flying  [3]message
	input   bool
}

// bug is a mistake in the protocol that the model must find.
type bug string

// journal is a set of lines, together with facts that are computed from the lines.
type journal struct {
	ids     []int32
	lines   []checkpoint.Line
	results []int32 // the lines that report a task as done and that count, because their lease had not ended
	twice   bool    // two leases have the same number
	itself  bool    // a clone took the lease from itself, without having been killed
}

type model struct {
	bounds
	bug      bug
	lines    []checkpoint.Line // lines[n] is the line with the number n; there is no line with the number 0
	owner    []int8
	known    map[string]int32
	journals []journal
	byKey    map[string]int32
	input    int32
	after    map[[4]int32]Step
}

func newModel(b bounds, planted bug) *model {
	m := &model{bounds: b, bug: planted, lines: make([]checkpoint.Line, 1), owner: []int8{-1}, known: map[string]int32{}, byKey: map[string]int32{}, after: map[[4]int32]Step{}}
	m.journal(nil)
	m.input = m.line(-1, checkpoint.Event{Event: checkpoint.TaskAnswered, Task: "t", ID: "input", Seq: checkpoint.SeqText(1)})
	return m
}

// line returns the number of the line with this event. A new line gets a new number.
func (m *model) line(by int8, e checkpoint.Event) int32 {
	e.V = checkpoint.Version
	text, err := e.Encode()
	if err != nil {
		panic(err)
	}
	if n, ok := m.known[string(text)]; ok {
		return n
	}
	n := int32(len(m.lines))
	m.known[string(text)] = n
	m.lines, m.owner = append(m.lines, checkpoint.Line{Text: string(text), Event: e}), append(m.owner, by)
	return n
}

// journal returns the number of the journal with these lines.
func (m *model) journal(ids []int32) int32 {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	key := fmt.Sprint(ids)
	if n, ok := m.byKey[key]; ok {
		return n
	}
	j := journal{ids: ids}
	for _, id := range ids {
		j.lines = append(j.lines, m.lines[id])
	}
	late := Late(j.lines)
	if m.bug == "fenced lines are united" {
		late = nil
	}
	for _, id := range ids {
		if l := m.lines[id]; l.Event.Event == checkpoint.TaskDone && !has(late, l.Event.ID) {
			j.results = append(j.results, id)
		}
	}
	before := ""
	for _, l := range All(j.lines) {
		j.twice = j.twice || l.Twice
		by, _, _ := strings.Cut(l.Line, ".")
		j.itself = j.itself || by == before
		before = by
	}
	n := int32(len(m.journals))
	m.journals, m.byKey[key] = append(m.journals, j), n
	return n
}

func (m *model) with(j int32, more ...int32) int32 {
	ids := slices.Clone(m.journals[j].ids)
	for _, id := range more {
		if id != 0 {
			ids = append(ids, id)
		}
	}
	return m.journal(ids)
}

// seen returns the lines of a journal as one clone sees them.
func (m *model) seen(j int32, by int8) []checkpoint.Line {
	out := slices.Clone(m.journals[j].lines)
	for i, id := range m.journals[j].ids {
		out[i].Ours = m.owner[id] == by
	}
	return out
}

func nextSeq(lines []checkpoint.Line) string {
	top := 0
	for _, l := range lines {
		n := 0
		_, _ = fmt.Sscanf(l.Event.Seq, "%d", &n)
		top = max(top, n)
	}
	return checkpoint.SeqText(int64(top + 1))
}

// event is something that happens, to a clone or at the remote. It is turned into a text only if a fault is reported.
type event struct {
	clone int8
	why   string
}

// successor is a possible next state, and the event that leads to it.
type successor struct {
	event
	to state
}

func (m *model) next(s state) []successor {
	var out []successor
	add := func(w int8, why string, to state) { out = append(out, successor{event{w, why}, to}) }
	if !s.input && len(m.journals[s.journal].ids) < m.bounds.lines {
		to := s
		to.journal, to.input = m.with(s.journal, m.input), true
		add(-1, "a person answers", to)
	}
	for w := range int8(2) {
		m.step(s, w, func(why string, to state) { add(w, why, to) })
	}
	for i, msg := range s.flying {
		if msg.old != msg.new {
			m.deliver(s, i, msg, add)
		}
	}
	return out
}

// deliver adds the states that can follow when a message arrives at the remote. In one of them, the answer is lost. If the sender still
// waits, there is also one in which the sender gets the answer.
func (m *model) deliver(s state, i int, msg message, add func(int8, string, state)) {
	to := s
	to.flying[i] = message{}
	sortFlying(&to)
	yes := s.journal == msg.old || s.journal == msg.new
	if m.bug == "no comparison" {
		yes = true
	}
	if yes {
		to.journal = msg.new
	}
	add(msg.from, "'s push arrives, the answer is lost", to)
	c := &to.clones[msg.from]
	if c.life == msg.life && c.sent == msg && (c.phase == leasing || c.phase == sending) {
		c.answer = 2
		if yes {
			c.answer = 1
		}
		add(msg.from, "'s push arrives", to)
	}
}

func sortFlying(s *state) {
	slices.SortFunc(s.flying[:], func(a, b message) int {
		return slices.Compare([]int32{int32(b.from), b.old, b.new, int32(b.life)}, []int32{int32(a.from), a.old, a.new, int32(a.life)})
	})
}

// send puts a message on its way, if the bounds allow it.
func (m *model) send(s state, w int8, c clone, to int32, put func(state)) {
	if len(m.journals[to].ids) > m.bounds.lines {
		return
	}
	if to == c.view { // there is nothing to push, so git reports success without asking the remote
		c.answer = 1
	}
	c.sent = message{from: w, life: c.life, old: c.view, new: to}
	for i := range m.inFlight {
		if s.flying[i] == (message{}) {
			s.flying[i] = c.sent
			sortFlying(&s)
			s.clones[w] = c
			put(s)
			return
		}
	}
}

// step adds the states that follow when one clone does something.
func (m *model) step(s state, w int8, add func(string, state)) {
	c := s.clones[w]
	put := func(why string, c clone) {
		to := s
		to.clones[w] = c
		add(why, to)
	}
	sent := func(why string) func(state) { return func(to state) { add(why, to) } }
	if c.phase == dead {
		if c.life < m.restarts {
			put("starts again", clone{life: c.life + 1, kept: c.kept, refused: c.refused})
		}
		return
	}
	if c.phase != acknowledged && c.phase != stopped {
		put("is killed", clone{phase: dead, life: c.life, kept: c.kept, refused: c.refused})
	}
	switch c.phase {
	case idle:
		m.takeLease(s, w, c, add)
	case leasing, sending:
		m.hear(c, put)
	case looksAfterLease:
		step := m.afterLook(s.journal, c, c.asked)
		switch c.answer = 0; step {
		case Landed:
			c.lease = c.asked
			m.begin(c, s.journal, put)
		case Again:
			c.phase = leasing
			m.send(s, w, c, c.sent.new, sent("sends the same lease again"))
		default:
			c.phase, c.view, c.sent = idle, 0, message{}
			if m.bug == "lease before it is accepted" {
				c.refused = c.asked
			}
			put("looks, and begins again", c)
		}
	case working:
		mine := m.lines[c.lease].Event
		seq := nextSeq(m.journals[c.view].lines)
		c.kept = m.line(w, checkpoint.Event{Event: checkpoint.TaskDone, Task: "t", Lease: mine.Lease, ID: m.name(w, c.life, "result", seq), Seq: seq})
		c.phase = sending
		m.send(s, w, c, m.with(c.view, c.kept), sent("sends its result"))
	case looksAfterResult:
		m.lookAfterResult(s, w, c, add)
	}
}

// hear adds the next states of a clone that waits for an answer: the states in which it has heard the answer, and those in which it
// hears nothing and stops waiting.
func (m *model) hear(c clone, put func(string, clone)) {
	look := c
	look.answer, look.phase = 0, looksAfterLease
	if c.phase == sending {
		look.phase = looksAfterResult
	}
	yes := func(why string) {
		c := c
		if c.answer = 0; c.phase == sending {
			c.phase, c.view, c.sent = acknowledged, c.sent.new, message{}
			put(why, c)
			return
		}
		c.lease = c.asked
		m.begin(c, c.sent.new, put)
	}
	switch c.answer {
	case 1:
		yes("hears yes")
	case 2:
		put("hears no", look)
	}
	switch {
	case m.bug == "silence is a yes":
		yes("takes silence for a yes")
	case m.bug == "silence is a no" && c.phase == leasing:
		c.phase, c.view, c.sent, c.answer, c.asked = idle, 0, message{}, 0, 0
		put("takes silence for a no and begins again", c)
	default:
		put("hears nothing", look)
	}
}

// begin lets a clone start to work under its lease, or stop if there is a result already.
func (m *model) begin(c clone, view int32, put func(string, clone)) {
	c.phase, c.view, c.sent, c.answer = working, view, message{}, 0
	if len(m.journals[view].results) > 0 {
		c.phase = stopped
	}
	put("has the lease", c)
}

// name returns an id for a new line that no other clone uses. But if the bug "no nonce" is planted, all clones use the same ids.
func (m *model) name(w, life int8, what, seq string) string {
	if m.bug == "no nonce" {
		return what + seq
	}
	return fmt.Sprintf("clone%d-%d.%s%s", w, life, what, seq)
}

// takeLease reads the remote's journal and sends a line that takes the lease. In the model, a person always allows this, so the other
// reasons for taking a lease need not be modelled.
func (m *model) takeLease(s state, w int8, c clone, add func(string, state)) {
	view := s.journal
	if len(m.journals[view].results) > 0 {
		c.phase, c.view = stopped, view
		s.clones[w] = c
		add("sees the result", s)
		return
	}
	worker, lines := Worker{Alone: true, Person: true}, m.seen(view, w)
	cause, ok := May(All(lines), worker)
	if !ok {
		return
	}
	base := view
	newest := Newest(All(lines))
	if newest == nil || newest.Ours {
		base = m.with(view, c.kept) // the clone's own result still counts, because no other clone had a lease since
	}
	base = m.with(base, c.refused)
	e := Taking(m.seen(base, w), worker, cause, nil)
	e.Seq, e.Cause = nextSeq(m.journals[base].lines), ""
	e.ID = m.name(w, c.life, "lease", e.Seq)
	c.asked, c.view, c.phase, c.lease = m.line(w, e), view, leasing, 0
	m.send(s, w, c, m.with(base, c.asked), func(to state) { add("sends a lease", to) })
}

// lookAfterResult lets a clone read the remote's journal after its result was refused or got no answer, and act on what it finds.
func (m *model) lookAfterResult(s state, w int8, c clone, add func(string, state)) {
	step := m.afterLook(s.journal, c, c.kept)
	if (m.bug == "no look at the lease" || m.bug == "fenced lines are united") && step == Fenced {
		step = Unite
	}
	put := func(to state) { add("sends its result again", to) }
	c.answer = 0
	switch step {
	case Landed:
		c.phase, c.view, c.sent = acknowledged, s.journal, message{}
		s.clones[w] = c
		add("finds its result", s)
	case Again:
		c.phase = sending
		m.send(s, w, c, c.sent.new, put)
	case Unite:
		whole := m.with(s.journal, c.kept)
		if m.bug == "a line dropped at uniting" {
			whole = c.sent.new
		}
		c.phase, c.view = sending, s.journal
		m.send(s, w, c, whole, put)
	default:
		c.phase, c.sent = stopped, message{}
		s.clones[w] = c
		add("is fenced", s)
	}
}

func (m *model) afterLook(now int32, c clone, last int32) Step {
	lease := c.lease
	if lease == 0 {
		lease = last
	}
	key := [4]int32{now, c.sent.old, last, lease}
	if step, ok := m.after[key]; ok {
		return step
	}
	step := After(m.journals[now].lines, now != c.sent.old, Sent{Last: m.lines[last].Event.ID, Lease: m.lines[lease].Event.ID})
	m.after[key] = step
	return step
}

// fault says which promise a state breaks. It returns "" if the state breaks none.
func (m *model) fault(s state) string {
	j := m.journals[s.journal]
	switch {
	case len(j.results) > 1:
		return "two results count"
	case j.twice:
		return "two leases have one number"
	case j.itself:
		return "a clone is fenced by itself"
	case s.input && !slices.Contains(j.ids, m.input):
		return "an answer is lost"
	}
	holders := map[int32]int{}
	for _, c := range s.clones {
		if c.phase == acknowledged && !slices.Contains(j.results, c.kept) {
			return "an acknowledged result does not count"
		}
		if c.phase == working || c.phase == sending || c.phase == looksAfterResult {
			if holders[c.lease]++; holders[c.lease] > 1 {
				return "two clones have one lease"
			}
		}
	}
	return ""
}

// explore visits every state that can be reached, until it finds a fault. It returns the number of visited states, the number of those in
// which a task is validly reported as done, and the fault with the steps that lead to it.
func (m *model) explore() (states, withResult int, fault string) {
	type origin struct {
		from state
		event
	}
	start := state{}
	seen := map[state]origin{start: {}}
	queue := []state{start}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		states++
		if len(m.journals[s.journal].results) > 0 {
			withResult++
		}
		if f := m.fault(s); f != "" {
			var path []string
			for x := s; x != start; x = seen[x].from {
				path = append(path, fmt.Sprintf("%d %s", seen[x].clone, seen[x].why))
			}
			slices.Reverse(path)
			return states, withResult, fmt.Sprintf("%s, after %d steps: %s", f, len(path), strings.Join(path, "; "))
		}
		for _, n := range m.next(s) {
			if _, ok := seen[n.to]; !ok {
				seen[n.to] = origin{s, n.event}
				queue = append(queue, n.to)
			}
		}
	}
	return states, withResult, ""
}

func TestModel_keepsItsPromises(t *testing.T) {
	t.Parallel()
	p := gittest.Prove(t, "I", "states of the lease model")
	for _, b := range modelBounds() {
		states, done, fault := newModel(b, "").explore()
		if fault != "" {
			t.Errorf("%+v: %s", b, fault)
		}
		if states < 10_000 || done < states/20 {
			t.Errorf("%+v: only %d states, %d with a result: the bounds leave too little", b, states, done)
		}
		t.Logf("%+v: %d states, %d with a result", b, states, done)
		p.Trial(states)
	}
}

// modelBounds returns two small sets of bounds for everyday tests. For the long proof, it returns one set that includes both.
func modelBounds() []bounds {
	if gittest.Proving() {
		return []bounds{{restarts: 1, lines: 4, inFlight: 2}}
	}
	return []bounds{{restarts: 0, lines: 4, inFlight: 2}, {restarts: 1, lines: 4, inFlight: 1}}
}

// If the model could not find planted mistakes, it would prove nothing when it finds no fault in the real protocol.
func TestModel_findsPlantedBugs(t *testing.T) {
	t.Parallel()
	for bug, want := range map[bug]string{
		"no comparison":               "an answer is lost",
		"no nonce":                    "two clones have one lease",
		"silence is a yes":            "an acknowledged result does not count",
		"silence is a no":             "a clone is fenced by itself",
		"no look at the lease":        "an acknowledged result does not count",
		"lease before it is accepted": "a clone is fenced by itself",
		"fenced lines are united":     "two results count",
		"a line dropped at uniting":   "an answer is lost",
	} {
		t.Run(strings.ReplaceAll(string(bug), " ", "_"), func(t *testing.T) {
			t.Parallel()
			_, _, fault := newModel(bounds{restarts: 0, lines: 4, inFlight: 2}, bug).explore()
			if fault == "" || !strings.HasPrefix(fault, want) {
				t.Errorf("found %q, want %q", fault, want)
			}
			t.Log(fault)
		})
	}
}
