// Package sessions reads the files in which coding agents keep their own sessions, and finds out which of them were cut, wait for an
// answer, or are at a limit. It knows neither runs nor git: folders and a clock go in, sessions come out. It never writes, locks or deletes
// anything in an agent's folder, and it reads nothing outside of these folders.
package sessions

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/git-resume/git-resume/internal/proc"
)

// State says how the last turn of a session ended.
type State string

// These are the states of a session.
const (
	// Finished means that the turn has ended, Waits that the agent asked something, and Cut that it died while it was at work.
	Finished State = "finished"
	Waits    State = "waits"
	Cut      State = "cut"
	// Limit means that the vendor refused more requests, and Stopped that the user interrupted the turn.
	Limit   State = "limit"
	Stopped State = "stopped"
	Running State = "running"
	// Empty means that nothing in the file decides, for example because nobody has said anything yet.
	Empty State = "empty"
)

// Session is one session of a coding agent, as the agent's own files describe it. All texts are somebody else's.
type Session struct {
	Agent, ID string
	// Dir is the folder in which the agent worked. Tree is the innermost of the wanted folders that contains it.
	Dir, Tree string
	State     State
	// Soft is true if the agent only asked something in its last words.
	Soft bool
	// Unanswered is true if no model has ever answered in this session, and Script if the agent was started for a single prompt, without a
	// person. They are known only of a session that was cut. Denied is true if it was cut because the vendor does not know the user.
	Unanswered, Script, Denied bool
	// Last is the time of the last entry. Until is when a limit ends; zero if that is not known.
	Last, Until time.Time
	// Began is when the session began, and First the beginning of its first prompt. They are read only where a decision needs them.
	Began time.Time
	First string
	// Detail says what the agent was doing or what it asks. Tool is the tool that had not ended. Title is the name of the session, or else a
	// prompt of the user.
	Detail, Tool, Title string
	// Tokens is the length of the conversation, as the last answer says; 0 if it is not known.
	Tokens int
	// Fate says whether the program of the session still runs, and PID which process it is; 0 if only a sign was seen.
	Fate proc.Fate
	PID  int
	// Busy is true if the living program is at work, rather than open and idle. Ended is true if a turn that was cut has an end anyway:
	// an error, after which the program waits for its user.
	Busy, Ended bool
	// Command continues this very session, and must be executed in Dir. Unattended does the same without a person.
	Command, Unattended []string
	// atLimit is true if the session ended at a limit, also if that is over.
	atLimit bool
	// plan is the name that Claude Code gives to the plan of a session, and to the session that carries it out.
	plan string
	// turn is the id that Codex gives to all that one prompt leads to, also to the work of sub-agents.
	turn string
	// path is the file with the lines of the session; empty if it has none.
	path string
	// behind is how much was read above the entry that decides.
	behind int
}

// Where says where the agents keep their files, and what time it is.
type Where struct {
	Home  string
	Env   func(name string) string
	Now   time.Time
	Procs proc.Table
	// Machine is the id of this machine. Programs of another machine can have their files in the same home folder.
	Machine string
	// Days is the age from which files are not opened.
	Days int
}

// Result is what was found.
type Result struct {
	Sessions []Session
	// Looked says of each agent whose folder is there "ok", or why its sessions could not be read.
	Looked map[string]string
}

// agent is one of the coding agents whose files are understood.
type agent struct {
	name string
	// seen is the version of the agent whose files were last examined.
	seen string
	// root is the folder that must exist, and read finds the sessions in the wanted folders.
	root func(Where) string
	read func(*reader) error
	// prompt returns what the user says in a line of a session, or "".
	prompt func(line []byte) string
	// answer has what only a line with words or acts of the model contains. An error of the vendor is none.
	answer []string
}

var agents = []agent{
	{"claude", "2.1.328", claudeRoot, (*reader).claude, claudePrompt, []string{`"type":"assistant"`}},
	{"codex", "0.169.0", codexRoot, (*reader).codex, codexPrompt, []string{`"role":"assistant"`, `"agent_message"`, `"reasoning"`, `_call"`}},
	{"gemini", "0.61.0", geminiRoot, (*reader).gemini, geminiPrompt, []string{`"type":"gemini"`}},
	{"opencode", "1.18.33", opencodeRoot, (*reader).opencode, nil, nil},
	{"qwen", "0.24.4", qwenRoot, (*reader).qwen, qwenPrompt, []string{`"type":"assistant"`}},
	{"copilot", "1.0.102", copilotRoot, (*reader).copilot, copilotPrompt, []string{`"assistant.message"`}},
}

// Agents returns the agents whose files are understood, each with the version whose files were last examined.
func Agents() (out [][2]string) {
	for _, a := range agents {
		out = append(out, [2]string{a.name, a.seen})
	}
	return out
}

// Read finds the sessions whose folder is one of the given folders or below one. Each agent is read on its own, so that damaged files of one
// hide nothing of another. Sessions in which nothing was said yet are among them, because they can be newer than one that asks something.
func Read(w Where, trees []string) Result {
	out := Result{Looked: map[string]string{}}
	if w.Env("SUDO_USER") != "" {
		return out // these are the rights of one user and the files of another
	}
	var found []*reader
	for _, a := range agents {
		r := &reader{Where: w, agent: a, root: a.root(w), known: map[string]string{}}
		if info, err := os.Stat(r.root); err == nil && info.IsDir() && ours(info) {
			found = append(found, r)
		}
	}
	if len(found) == 0 {
		return out
	}
	var wanted []tree
	for _, t := range trees {
		wanted = append(wanted, tree{t, realPath(t)})
	}
	var all sync.WaitGroup
	for _, r := range found {
		r.trees = wanted
		all.Go(func() { r.err = r.guarded() })
	}
	all.Wait()
	for _, r := range found {
		out.Looked[r.agent.name] = "ok"
		if r.err != nil {
			out.Looked[r.agent.name] = r.err.Error()
		}
		out.Sessions = append(out.Sessions, r.sessions...)
	}
	slices.SortStableFunc(out.Sessions, func(a, b Session) int { return b.Last.Compare(a.Last) })
	beginnings(out.Sessions, w.Now)
	return out
}

// reader reads the sessions of one agent.
type reader struct {
	Where
	agent    agent
	root     string
	trees    []tree
	known    map[string]string // the answers of treeOf
	sessions []Session
	err      error
}

// tree is one of the wanted folders, and the same folder without links in its path.
type tree struct{ given, real string }

// errDamaged stands for a crash of a reader: the file has a form that nobody has thought of.
var errDamaged = errors.New("its files have an unknown form")

func (r *reader) guarded() (err error) {
	defer func() {
		if recover() != nil {
			err = errDamaged
		}
	}()
	return r.agent.read(r)
}

// id matches what may be put into a command. Another id is no session that can be continued.
var id = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]{0,79}$`)

// add adds a session if it belongs to one of the wanted folders.
func (r *reader) add(s Session) {
	s.Agent, s.Tree = r.agent.name, r.treeOf(s.Dir)
	if s.Tree == "" || !id.MatchString(s.ID) {
		return
	}
	if s.State == "" {
		s.State = Empty
	}
	if s.Last.After(r.Now) {
		s.Last = r.Now // a clock was wrong, and nothing may stay young for ever
	}
	s.Title, s.Detail, s.Tool = oneLine(s.Title, 60), oneLine(s.Detail, 80), oneLine(s.Tool, 40)
	r.sessions = append(r.sessions, s)
}

// treeOf returns the innermost of the wanted folders that contains a folder, or "".
func (r *reader) treeOf(dir string) string {
	if !filepath.IsAbs(dir) || strings.ContainsFunc(dir, unicode.IsControl) {
		return ""
	}
	if t, ok := r.known[dir]; ok {
		return t
	}
	real := filepath.Clean(dir)
	if r.isNear(real) {
		real = realPath(real)
	}
	var best tree
	for _, t := range r.trees {
		if (real == t.real || strings.HasPrefix(real, t.real+string(filepath.Separator))) && len(t.real) > len(best.real) {
			best = t
		}
	}
	r.known[dir] = best.given
	return best.given
}

// isNear reports whether a folder lies below the same top folder as the home folder or a wanted one. Others are not looked at: they may be on
// the disk of a server that does not answer.
func (r *reader) isNear(dir string) bool {
	near := func(other string) bool { return topOf(other) == topOf(dir) }
	return near(r.Home) || slices.ContainsFunc(r.trees, func(t tree) bool { return near(t.given) || near(t.real) })
}

// topOf returns the first folder of a path: "/home" of "/home/ada/shop".
func topOf(path string) string {
	volume := filepath.VolumeName(path)
	first, _, _ := strings.Cut(strings.TrimLeft(filepath.ToSlash(path[len(volume):]), "/"), "/")
	return volume + "/" + first
}

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// fresh reports whether a file was written lately.
func (r *reader) fresh(info fs.FileInfo) bool {
	return r.Days == 0 || r.Now.Sub(info.ModTime()) < time.Duration(r.Days)*24*time.Hour
}

// list returns the entries of a folder. A folder that is missing or cannot be read has none.
func (r *reader) list(dir string) []fs.DirEntry {
	const most = 100_000
	d, err := openDir(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	all, _ := d.ReadDir(most)
	return all
}

// setting returns the folder that a variable names, or another one.
func (w Where) setting(name, other string) string {
	if v := w.Env(name); filepath.IsAbs(v) {
		return v
	}
	return other
}

// oneLine makes a text harmless to look at: one line without control characters, at most so many characters.
func oneLine(text string, most int) string {
	var out []rune
	for _, c := range text {
		switch {
		case unicode.Is(unicode.Cf, c), c == unicode.ReplacementChar: // changes the direction of the text, or cannot be seen
			continue
		case unicode.IsControl(c) || unicode.IsSpace(c):
			c = ' '
		}
		if c == ' ' && (len(out) == 0 || out[len(out)-1] == ' ') {
			continue
		}
		if out = append(out, c); len(out) > most {
			return strings.TrimRight(string(out[:most-1]), " ") + "…"
		}
	}
	return strings.TrimRight(string(out), " ")
}

// question returns the last question in the last words of a turn, or "". Agents put what can be chosen, and a polite sentence, behind it.
// So it is looked for in the last two paragraphs that are neither code, list nor table, and not far from the end.
func question(text string) string {
	const far, near = 4, 2
	parts := blankLine.Split(strings.TrimSpace(codeBlock.ReplaceAllString(text, "")), -1)
	prose := slices.DeleteFunc(parts[max(0, len(parts)-far):], func(p string) bool { return listItem.MatchString(p) })
	for _, p := range slices.Backward(prose[max(0, len(prose)-near):]) {
		marks := questionMark.FindAllStringIndex(p, -1)
		if len(marks) == 0 {
			continue
		}
		q := strings.TrimSpace(p[:marks[len(marks)-1][1]])
		if ends := sentence.FindAllStringIndex(q, -1); len(ends) > 0 {
			q = q[ends[len(ends)-1][1]:] // the question, rather than what leads to it
		}
		return q
	}
	return ""
}

var (
	codeBlock = regexp.MustCompile("(?s)```.*?(```|$)")
	blankLine = regexp.MustCompile(`\n[ \t\r]*\n`)
	listItem  = regexp.MustCompile(`^\s*([-*+•|#>]|\d+[.)])`)
	// questionMark matches the end of a question, and no mark inside an address.
	questionMark = regexp.MustCompile(`？|\?["')*_\x60”]*(\s|$)`)
	// sentence matches the end of a sentence that another one follows.
	sentence = regexp.MustCompile(`[.!?:]["')*_]*\s+`)
)

// spoken returns the state after a turn that ended with a text.
func (s *Session) spoken(text string) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	s.State, s.Detail = Finished, lines[len(lines)-1]
	if q := question(text); q != "" {
		s.State, s.Soft, s.Detail = Waits, true, q
	}
}

// These are details of sessions that were cut: before the model said anything to the newest prompt, or before it said more.
const (
	notAnswered  = "the prompt was not answered"
	whileWorking = "while the model worked"
)

// stopped sets the state of a turn that the user ended.
func (s *Session) stopped() { s.State, s.Soft, s.Detail = Stopped, false, "by you" }

// cut sets the state of a turn that has no end.
func (s *Session) cut(detail string) { s.State, s.Detail = Cut, detail }

// failed sets the state of a turn that ended with an error.
func (s *Session) failed(text string) {
	s.cut("error: " + text)
	s.Ended = true
}

// CanContinue reports whether the command of the session may be started now. A second program would write into the session of a living one;
// only Codex then shows what the first one shows.
func (s *Session) CanContinue() bool {
	return s.State != Running && s.State != Limit && (s.Fate != proc.Alive || s.Agent == "codex")
}

// inTool sets the state of a turn that was cut in a tool.
func (s *Session) inTool(tool, what string) {
	s.Tool = tool
	s.cut(strings.TrimSpace("in " + tool + ": " + oneLine(redacted(what), 40)))
	if what == "" {
		s.Detail = "in " + tool
	}
}

// given is what a tool was called with, as far as people are told.
type given struct {
	Command, Description, Question, Message string
	FilePath                                string `json:"file_path"`
	Questions                               []struct{ Question string }
}

// asked returns the question to the user.
func (g *given) asked() string {
	if len(g.Questions) > 0 {
		return firstOf(g.Questions[0].Question, "a question")
	}
	return firstOf(g.Question, g.Message, "a question")
}

func firstOf(all ...string) string {
	for _, s := range all {
		if strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

func (s *Session) at(when string) {
	if t, err := time.Parse(time.RFC3339, when); err == nil {
		s.Last = t
	}
}

// limited matches what vendors say when they refuse more requests.
var limited = regexp.MustCompile(`(?i)quota|rate.?limit|\b429\b|RESOURCE_EXHAUSTED|usage limit|limit reached`)
