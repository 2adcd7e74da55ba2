package autoclaude

import (
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// These are paths of files in a spec's folder, except statusFile, which is at the top of a project.
const (
	historyFile = "memory/attempt_history.json"
	commitsFile = "memory/build_commits.json"
	statusFile  = ".auto-claude-status"
	pauseFile   = "PAUSE"
	inputFile   = "HUMAN_INPUT.md"
	requestFile = "QA_FIX_REQUEST.md"
	givenUpFile = "QA_ESCALATION.md"
	reviewFile  = "review_state.json"
	metaFile    = "task_metadata.json"
	logsFile    = "task_logs.json"
	workersFile = "parallel_progress.json"
)

// planFiles lists the files and folders that the action "plan-again" moves to an archive folder. The specification and the requirements are
// not among them, because they stay.
var planFiles = []string{planFile, "memory", logsFile, workersFile, reviewFile, requestFile, givenUpFile, "qa_report.md", "build-progress.txt", pauseFile}

// archived is the prefix of the names of folders with archived plans.
const archived = ".archived-"

// mostFailures is the number of consecutive failures after which only a person may allow another attempt.
const mostFailures = 3

// history holds the recorded attempts for each item, the stuck items with the reasons, and the time of the last attempt.
type history struct {
	tries map[string]tries
	stuck map[string]string
	last  stamp
}

type tries struct {
	all    int
	failed int // the number of failures since the last success
	why    string
	good   bool // the last attempt succeeded
	// approaches lists what the failures had tried, each with its error. Failures without such a text are left out.
	approaches []string
}

// needsPerson returns the reason why only a person may allow another attempt at an item. It returns "" if no permission is needed.
func (h history) needsPerson(it item) string {
	reason, stuck := h.stuck[it.own]
	t := h.tries[it.own]
	switch {
	case it.finished():
		return "" // earlier failures of a finished item do not matter
	case stuck && reason != "":
		return "stuck: " + reason
	case stuck:
		return "stuck"
	case t.failed >= mostFailures:
		return t.failures("")
	}
	return ""
}

// failures says after the given word how many attempts have failed, and why the last one did. It returns "" if none has.
func (t tries) failures(after string) string {
	if t.failed == 0 {
		return ""
	}
	text := after + sources.Count(t.failed, "failed attempt", "failed attempts")
	if t.why != "" {
		text += ", the last one: " + t.why
	}
	return text
}

func (h history) mayReset(it item) bool {
	return (it.state == checkpoint.Active || it.state == checkpoint.Failed) && h.needsPerson(it) == ""
}

func parseHistory(data []byte, now time.Time) (history, error) {
	h := history{tries: map[string]tries{}, stuck: map[string]string{}}
	v, err := textdoc.ParseJSON(data)
	if err != nil {
		return h, err
	}
	for _, key := range []string{"chunks", "subtasks"} {
		for _, f := range v.Get(key).Fields() {
			var t tries
			for _, a := range f.Value.Get("attempts").Items() {
				t.add(a)
				h.last = h.last.later(stampOf(a.Get("timestamp"), "attempt"), now)
			}
			if sources.FoldWord(f.Value.Get("status").Text()) == "stuck" {
				h.stuck[f.Key] = ""
			}
			h.tries[f.Key] = t
		}
	}
	for _, key := range []string{"stuck_chunks", "stuck_subtasks"} {
		for _, s := range v.Get(key).Items() {
			id := s.Get("subtask_id", "chunk_id", "id").Text()
			if !s.IsObject() {
				id = s.Text()
			}
			h.stuck[id] = firstLine(s.Get("reason").Text())
		}
	}
	return h, nil
}

func (t *tries) add(a textdoc.Value) {
	t.all++
	if t.good = a.Get("success").True(); t.good {
		t.failed, t.why, t.approaches = 0, "", nil
		return
	}
	t.failed++
	t.why = firstLine(a.Get("error").Text())
	if how := firstLine(a.Get("approach").Text()); how != "" && t.why != "" {
		t.approaches = append(t.approaches, how+" ("+t.why+")")
	} else if how != "" {
		t.approaches = append(t.approaches, how)
	}
}

// record is a commit that Auto-Claude recorded for an item.
type record struct {
	id   string
	hash string
}

type commits struct {
	list []record
	good string // the last commit that Auto-Claude considered good
	last stamp
}

func parseCommits(data []byte, now time.Time) (commits, error) {
	var c commits
	v, err := textdoc.ParseJSON(data)
	if err != nil {
		return c, err
	}
	c.good = hash(v.Get("last_good_commit"))
	for _, r := range v.Get("commits").Items() {
		if h := hash(r.Get("hash", "commit", "sha")); h != "" {
			c.list = append(c.list, record{r.Get("subtask_id", "chunk_id", "id").Text(), h})
		}
		c.last = c.last.later(stampOf(r.Get("timestamp"), "commit"), now)
	}
	return c, nil
}

func (c commits) hashes() []string {
	var out []string
	if c.good != "" {
		out = append(out, c.good)
	}
	for i := len(c.list) - 1; i >= 0 && len(out) < mostRecords; i-- {
		out = append(out, c.list[i].hash)
	}
	return out
}

// hash returns the text if it looks like a commit hash, and "" otherwise. The result is passed to git, so other text would be dangerous.
func hash(v textdoc.Value) string {
	text := v.Text()
	for _, r := range text {
		if (r < '0' || r > '9') && (r < 'a' || r > 'f') {
			return ""
		}
	}
	if len(text) < 7 || len(text) > 64 {
		return ""
	}
	return text
}

// mark is the content of a status file. Auto-Claude writes that file for a status line in the terminal.
type mark struct {
	active      bool
	spec, state string
	phase       string
	done, total int
	working     int
	failed      int
	session     int
	pid         int
	updated     stamp
}

func parseMark(data []byte) (mark, error) {
	v, err := textdoc.ParseJSON(data)
	if err != nil {
		return mark{}, err
	}
	if !v.IsObject() {
		return mark{}, &textdoc.DamageError{Why: "is not a JSON object"}
	}
	counts := v.Get("subtasks", "chunks")
	m := mark{
		active: v.Get("active").True(), spec: firstLine(v.Get("spec").Text()), state: firstLine(v.Get("state").Text()),
		phase: firstLine(v.Get("phase").Get("current").Text()), updated: stampOf(v.Get("last_update"), "status file"),
	}
	for _, n := range []struct {
		to  *int
		val textdoc.Value
	}{
		{&m.done, counts.Get("completed")}, {&m.total, counts.Get("total")}, {&m.working, counts.Get("in_progress")},
		{&m.failed, counts.Get("failed")}, {&m.session, v.Get("session").Get("number")}, {&m.pid, v.Get("pid")},
	} {
		*n.to, _ = n.val.Int()
	}
	return m, nil
}

// fresh reports whether the status file shows a running build. It must say "active", and neither finished nor paused. Its recorded time
// must differ from now by less than five minutes, because the file still says "active" after a crash.
func (m mark) fresh(now time.Time) bool {
	return m.active && !m.finished() && !m.paused() && !m.updated.at.IsZero() && now.Sub(m.updated.at).Abs() < recent
}

// recent is how long a status file counts as a sign that Auto-Claude is running.
const recent = 5 * time.Minute

func (m mark) finished() bool { return sources.MeaningOf(m.state) == sources.MeansDone }

func (m mark) paused() bool { return sources.FoldWord(m.state) == "paused" }

// workers returns the process ids that the parallel mode of Auto-Claude recorded.
func workers(data []byte) []int {
	v, err := textdoc.ParseJSON(data)
	if err != nil {
		return nil
	}
	var out []int
	all := v.Get("workers")
	add := func(w textdoc.Value) {
		if pid, ok := w.Get("pid").Int(); ok && pid > 1 {
			out = append(out, pid)
		}
	}
	for _, f := range all.Fields() {
		add(f.Value)
	}
	for _, w := range all.Items() {
		add(w)
	}
	return out
}

// step is a step of the planning.
type step struct{ name, file, title string }

// steps lists the steps of the planning, each with the file that it creates and with what it does.
var steps = []step{
	{"discovery", "project_index.json", "look at the project"}, {"requirements", "requirements.json", "write down the requirements"},
	{"complexity", "complexity_assessment.json", "judge how complex the work is"}, {"context", "context.json", "find the files that matter"},
	{"spec", "spec.md", "write the specification"}, {"planning", planFile, "plan the work"},
}
