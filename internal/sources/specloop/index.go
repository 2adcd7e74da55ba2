package specloop

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// index is the parsed content of index.md. The three drafts of the format use different section titles and table columns.
type index struct {
	// loop maps the field names of the loop state to their text in the file. It omits placeholders of the template that nobody has filled in.
	loop map[string]string
	// meta holds the metadata of the feature. The field "flow" holds the fields of the workflow itself, such as its current phase.
	meta, flow map[string]string

	status string
	// The field "says" has the loop statuses of one table if they contradict each other.
	says      []string
	iteration int
	// count is the text of the iteration in the file, such as "2 / 10". It is empty if there is none.
	count    string
	rounds   int // the maximum number of iterations
	stale    int
	activity time.Time
	naive    bool

	questions []question
	gaps      []gap
	history   []record
	// blank says that the loop status is still the placeholder of the template.
	blank bool
}

type question struct {
	id, text, status, answer string
	gaps, options            []string
	priority                 string
	// mentioned says that the section with the answers names the question. Its answer may still be missing there.
	mentioned bool
	// loose says that the index has the answer to the question, but not the question itself.
	loose bool
}

type gap struct{ priority, id, status, resolution, text, asks string }

type record struct{ gap, iteration, action, details, at string }

// The statuses of a loop, spelled as in the index file.
const (
	notStarted  = "not_started"
	scaffolding = "scaffolding"
	specWriting = "spec_writing"
	validating  = "validating"
	clarifying  = "clarifying"
	completed   = "completed"
	terminated  = "terminated"
)

var statuses = []string{notStarted, scaffolding, specWriting, validating, clarifying, completed, terminated}

// parseIndex parses an index. It returns an error if the index has no loop state.
func parseIndex(data []byte) (x *index, err error) {
	text, err := textdoc.Markdown(data)
	if err != nil {
		return nil, err
	}
	x = &index{loop: map[string]string{}, meta: map[string]string{}, flow: map[string]string{}, iteration: -1, stale: -1, rounds: 10}
	lines := textdoc.Visible(text)
	sections := textdoc.Sections(lines)
	some := x.fields(lines)
	if !some {
		return nil, &textdoc.DamageError{Why: "has no loop state"}
	}
	x.status = foldStatus(x.loop["loop status"])
	x.count = cmp.Or(x.loop["current iteration"], x.loop["final iteration"], x.loop["iteration"])
	x.iteration, x.rounds = ratio(x.count, x.rounds)
	x.stale, _ = ratio(x.loop["stale count"], 3)
	x.activity, x.naive, _ = sources.ParseTime(x.loop["last activity"])
	for _, part := range []struct {
		add    func(textdoc.Table)
		titles []string // the titles of the section in all versions of the format
	}{
		{x.addQuestions, []string{"Unified Pending Questions", "Pending Questions", "Pending Clarifications"}},
		{x.addGaps, []string{"Gap Priority Queue", "Gap Queue"}},
		{x.addHistory, []string{"Gap Resolution History", "Resolution History"}},
		{x.addAnswers, []string{"User Answers"}},
	} {
		for _, t := range tablesOf(sections, part.titles) {
			part.add(t)
		}
	}
	x.listedAnswers(sections)
	x.linkAnswers()
	x.dropApplied()
	x.recallAnswers()
	return x, nil
}

// fields reads tables with the two columns name and value, and lists of the form "name: value". It recognizes the loop state by its field
// names, in any section.
func (x *index) fields(lines []textdoc.Line) (some bool) {
	for _, t := range textdoc.Tables(lines) {
		if len(t.Header) != 2 || isAnswers(t) {
			continue
		}
		kind, inTable := x.kindOf(t), false                           // kind is the group to which the fields of this table belong
		for _, row := range append([][]string{t.Header}, t.Rows...) { // in a table without a header row, t.Header is a field too
			if len(row) < 2 {
				continue
			}
			key := fieldName(row[0])
			if key == "loop status" {
				some = true
			}
			if was, had := kind[key]; had {
				if key == "loop status" && inTable && !unset(row[1]) && foldStatus(was) != foldStatus(textdoc.Unmark(row[1])) {
					x.contradict(was, textdoc.Unmark(row[1]))
				}
				continue
			}
			if unset(row[1]) {
				x.blank = x.blank || key == "loop status"
				continue
			}
			kind[key] = textdoc.Unmark(row[1])
			inTable = inTable || key == "loop status"
		}
	}
	for _, l := range lines { // the fields may be written as a list instead of a table
		if !strings.Contains(l.Text, ":") || strings.HasPrefix(l.Text, "|") {
			continue
		}
		m := listedField.FindStringSubmatch(l.Text)
		if m == nil || x.loop[strings.ToLower(m[1])] != "" {
			continue
		}
		some = true
		if !unset(m[2]) {
			x.loop[strings.ToLower(m[1])] = textdoc.Unmark(m[2])
		} else if strings.EqualFold(m[1], "loop status") {
			x.blank = true
		}
	}
	return some
}

func (x *index) contradict(all ...string) {
	for _, word := range all {
		if word = foldStatus(word); !slices.Contains(x.says, word) {
			x.says = append(x.says, word)
		}
	}
}

var listedField = textdoc.NewForm(`(?i)^\s*[-*]?\s*\**(loop status|current iteration|last activity|stale count|termination reason)\**\s*:\**\s*(.*?)\s*$`)

// kindOf returns the group of fields (loop, flow or meta) that a table contains.
func (x *index) kindOf(t textdoc.Table) map[string]string {
	for _, row := range t.Rows {
		if len(row) == 0 {
			continue
		}
		switch fieldName(row[0]) {
		case "loop status", "current iteration", "stale count":
			return x.loop
		case "current phase":
			return x.flow
		}
	}
	return x.meta
}

func fieldName(cell string) string {
	return strings.ToLower(strings.TrimSuffix(textdoc.Unmark(cell), ":"))
}

// unset reports whether a cell is empty, a dash, or a placeholder of the template.
func unset(cell string) bool {
	cell = textdoc.Unmark(cell)
	return cell == "" || cell == "-" || cell == "—" || strings.Contains(cell, "{{")
}

// foldStatus turns "Spec Writing", "spec-writing" and "spec_writing" into the same word. It returns an unknown word unchanged.
func foldStatus(word string) string {
	folded := sources.FoldWord(word)
	for _, s := range statuses {
		if folded == strings.ReplaceAll(s, "_", "") {
			return s
		}
	}
	return word
}

var (
	// The number must come before the slash or the word "of": in "? / 10", the 10 is only the limit.
	ratioForm = textdoc.NewForm(`^([^\d/]*?)(-?\d+)(\.\d)?\s*(?:(?:/|of)\s*(\d+))?`)
	marks     = strings.NewReplacer("*", "", "`", "", "_", "")
)

// ratio parses "2 / 10", "2/10" and "2". The result n is -1 if there is no whole number.
func ratio(text string, of int) (n, limit int) {
	m := ratioForm.FindStringSubmatch(marks.Replace(text))
	if m == nil || m[3] != "" || slices.Contains(strings.Fields(m[1]), "of") {
		return -1, of
	}
	n, err := strconv.Atoi(m[2])
	if err != nil {
		return -1, of
	}
	if limit, err = strconv.Atoi(m[4]); err != nil || limit <= 0 {
		limit = of
	}
	return n, limit
}

// tablesOf returns the tables of the first section whose heading contains one of the given titles.
func tablesOf(sections []textdoc.Section, titles []string) []textdoc.Table {
	for _, title := range titles {
		for _, s := range sections { // the title may be part of a longer heading, such as "4. Pending Questions (2)"
			if strings.Contains(strings.ToLower(s.Title), strings.ToLower(title)) {
				return textdoc.Tables(s.Body)
			}
		}
	}
	return nil
}

func (x *index) addQuestions(t textdoc.Table) {
	for _, row := range t.Rows {
		q := question{id: t.Cell(row, "ID", "Question ID"), text: t.Cell(row, "Question", "Question Summary", "Summary"),
			status: t.Cell(row, "Status"), answer: t.Cell(row, "Answer", "User Answer", "Response"), priority: t.Cell(row, "Priority"),
			gaps: listed(t.Cell(row, "Gaps", "Gap IDs", "Gap ID", "Gap")), options: choices(t.Cell(row, "Options"))}
		if !unset(q.id) {
			x.questions = append(x.questions, q)
		}
	}
}

// isAnswers reports whether a table with two columns holds questions and answers. Other tables with two columns hold field names and
// values.
func isAnswers(t textdoc.Table) bool {
	switch fieldName(t.Header[1]) {
	case "answer", "user answer", "response":
		return true
	}
	return false
}

// addAnswers adds answers from a separate section. If the row of the question already has an answer, that answer is used.
func (x *index) addAnswers(t textdoc.Table) {
	for _, row := range t.Rows {
		id, answer := t.Cell(row, "ID", "Question ID", "Question"), t.Cell(row, "Answer", "User Answer", "Response")
		x.addLoose(id)
		for i := range x.questions {
			if q := &x.questions[i]; q.id == id && unset(q.answer) && !unset(answer) {
				q.answer = answer
			}
		}
	}
}

// addLoose adds a question of the current iteration that the index does not list, although the section with the answers names it. An answer
// that was received must not be lost because its question is gone.
func (x *index) addLoose(id string) {
	m := questionID.FindStringSubmatch(id)
	if m == nil || len(x.questions) >= most || x.status != clarifying || m[1] != strconv.Itoa(x.iteration) || slices.ContainsFunc(x.questions, func(q question) bool { return q.id == id }) {
		return
	}
	x.questions = append(x.questions, question{id: id, status: "answered", loose: true})
}

// dropApplied drops the loose answers that were not given or that the workflow has applied. If no gap names such an answer, it counts as
// applied as soon as the history has an entry for this iteration.
func (x *index) dropApplied() {
	recorded := x.recorded()
	x.questions = slices.DeleteFunc(x.questions, func(q question) bool { return q.loose && (unset(q.answer) || recorded && len(q.gaps) == 0) })
}

// recorded reports whether the history has an entry for the current iteration.
func (x *index) recorded() bool {
	return slices.ContainsFunc(x.history, func(h record) bool {
		n, _ := ratio(h.iteration, 0)
		return n == x.iteration
	})
}

// listedAnswers adds answers from a section that is no table but a list, such as "- **C2.1**: 30 minutes", or has a heading for each
// question. It also notes which questions the section names without an answer that can be read.
func (x *index) listedAnswers(sections []textdoc.Section) {
	at := slices.IndexFunc(sections, func(s textdoc.Section) bool { return strings.Contains(strings.ToLower(s.Title), "user answers") })
	if at < 0 {
		return
	}
	var open *question // the question of the item or the heading above
	for _, l := range sections[at].Body {
		text := textdoc.Unmark(strings.TrimLeft(strings.TrimSpace(l.Text), "#-*+> "))
		text = strings.ReplaceAll(text, "**", "")
		if strings.HasPrefix(text, "|") || text == "" {
			continue
		}
		x.addLoose(strings.TrimRight(firstWord(text), ":.)=–—→-"))
		if i := slices.IndexFunc(x.questions, func(q question) bool { return names(text, q.id) }); i >= 0 {
			open = nil
			if unset(x.questions[i].answer) {
				open = &x.questions[i]
				open.mentioned = true
			}
			text = text[len(x.questions[i].id):]
			if m := separated.FindStringSubmatch(text); m != nil {
				text = m[1]
			}
			if _, _, heading := textdoc.Heading(l.Text); heading {
				continue // the rest of a heading is the question, and the answer is below
			}
		} else if _, _, heading := textdoc.Heading(l.Text); heading {
			open = nil
		}
		if m := labelled.FindStringSubmatch(text); m != nil && !strings.EqualFold(m[1], "answer") {
			continue // such as "Question: How long?"
		} else if m != nil {
			text = m[2]
		}
		if open != nil && !unset(text) {
			open.answer = strings.TrimSpace(open.answer + " " + text)
		}
	}
}

var separated = textdoc.NewForm(`^\s*(?:[:=)–—→-]|\.\s)?\s*(.*)$`) // only one sign is left out, because an answer may be -5

var labelled = textdoc.NewForm(`(?i)^(answer|question|gaps?|status|options?|date|time|answered)\s*:\s*(.*)$`)

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

// names reports whether a text begins with the id of a question, as a whole word.
func names(text, id string) bool {
	rest, is := strings.CutPrefix(text, id)
	return is && (rest == "" || strings.ContainsAny(rest[:1], " :.)=-") && !(rest[0] == '.' && len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9'))
}

func (x *index) addGaps(t textdoc.Table) {
	for _, row := range t.Rows {
		g := gap{priority: t.Cell(row, "Priority"), id: t.Cell(row, "Gap ID", "Gap", "ID"), status: t.Cell(row, "Status"),
			resolution: t.Cell(row, "Resolution"), text: t.Cell(row, "Question", "Description"), asks: t.Cell(row, "Clarification", "Clarification ID")}
		if !unset(g.id) {
			x.gaps = append(x.gaps, g)
		}
	}
}

func (x *index) addHistory(t textdoc.Table) {
	for _, row := range t.Rows {
		r := record{gap: t.Cell(row, "Gap ID", "Gap"), iteration: t.Cell(row, "Iteration"), action: t.Cell(row, "Action"),
			details: t.Cell(row, "Details", "Resolution"), at: t.Cell(row, "Timestamp")}
		if !unset(r.gap) {
			x.history = append(x.history, r)
		}
	}
}

// most limits how many questions, gaps and records are read. No real workflow has more, and comparing more of them with each other would be
// too slow.
const most = 1000

// linkAnswers finds the gaps in the specification that a question is about, if the table of questions does not list them.
func (x *index) linkAnswers() {
	x.questions, x.gaps, x.history = x.questions[:min(most, len(x.questions))], x.gaps[:min(most, len(x.gaps))], x.history[:min(most, len(x.history))]
	for i := range x.questions {
		q := &x.questions[i]
		if len(q.gaps) > 0 {
			continue
		}
		for _, g := range x.gaps {
			if g.asks == q.id || strings.Contains(g.resolution, q.id) {
				q.gaps = append(q.gaps, g.id)
			}
		}
	}
}

// recallAnswers finds answers that only the history of the current iteration contains, for example: Answer: "15 minutes".
func (x *index) recallAnswers() {
	for i := range x.questions {
		q := &x.questions[i]
		if !q.lost() {
			continue
		}
		for _, h := range x.history {
			answer, is := strings.CutPrefix(h.details, "Answer:")
			if n, _ := ratio(h.iteration, 0); is && n == x.iteration && slices.Contains(q.gaps, h.gap) {
				q.answer = strings.Trim(strings.TrimSpace(answer), `"`)
			}
		}
	}
}

func listed(cell string) []string {
	var out []string
	for _, f := range strings.FieldsFunc(cell, func(r rune) bool { return r == ',' || r == ';' || r == ' ' }) {
		if f = textdoc.Unmark(f); !unset(f) {
			out = append(out, f)
		}
	}
	return out
}

// choices splits a cell into the options that it lists.
func choices(cell string) []string {
	if unset(cell) {
		return nil
	}
	var out []string
	for _, sep := range []string{"<br>", ";", " | ", " / ", ","} {
		if strings.Contains(cell, sep) {
			for _, o := range strings.Split(cell, sep) {
				if o = strings.TrimSpace(o); o != "" {
					out = append(out, o)
				}
			}
			return out
		}
	}
	return []string{cell}
}

// answered reports whether a question is answered: its status is "answered", or it has an answer and is not deferred.
func (q *question) answered() bool {
	return sources.FoldWord(q.status) == "answered" || q.answer != "" && !unset(q.answer) && !q.deferred()
}

// lost reports whether a question has the status "answered" but its answer is missing.
func (q *question) lost() bool { return q.answered() && unset(q.answer) }

// called returns the id of the question and, if it is known, its text.
func (q *question) called() string {
	if unset(q.text) {
		return q.id
	}
	return q.id + ", " + q.text
}

func (q *question) deferred() bool { return sources.FoldWord(q.status) == "deferred" }

func (q *question) pending() bool {
	switch sources.FoldWord(q.status) {
	case "pending", "awaitinganswer", "waiting", "asked", "open", "":
		return !q.answered()
	}
	return false
}

// known reports whether the status of the question is understood.
func (q *question) known() bool { return q.pending() || q.answered() || q.deferred() }

func (g *gap) is(words ...string) bool { return slices.Contains(words, sources.FoldWord(g.status)) }

// The method must() reports whether a gap in the specification must be closed before the workflow can end. This is so for critical and
// important gaps.
func (g *gap) must() bool {
	p := sources.FoldWord(g.priority)
	return p == "critical" || p == "important"
}
