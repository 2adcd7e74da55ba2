package superpowers

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/internal/commitlog"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// These limits restrict what is read from a plan. Real plans have at most a few dozen tasks.
const (
	mostTasks    = 2000
	mostFiles    = 100
	mostSubjects = 20
	longestPath  = 300
)

type plan struct {
	tasks []task
	// more is the number of tasks beyond mostTasks, which are only counted.
	more int
	// over is the status above the first task, if it says that the plan is completed or was given up. Otherwise it is empty.
	over string
}

// task is one task as it is written in a plan.
type task struct {
	id, title string
	// created lists the files that the task creates. The field "files" lists these and the other files that the task names. The paths are
	// relative to the project.
	created, files []string
	// subjects are the subjects of the commits that the task prescribes, in the form in which subjects are compared.
	subjects      []string
	ticked, boxes int
	// said means that a heading says that the task is done.
	said bool
	// check means that the task is at the end of the plan and seems only to check the other tasks.
	check bool
}

// taskHeading matches "Task 3: name" in the languages in which people write plans, and captures the id and the name.
var taskHeading = textdoc.NewForm(`^[^\pL\pN]*(?:(?i:task|tarea|tarefa|aufgabe|tâche|compito|taak|zadanie|задача|завдання)|任务|任務|태스크|작업|タスク)[ \t]*#?([A-Z]?[0-9]{1,6}(?:\.[0-9]{1,6}){0,4}[A-Za-z]?)(?:[^\pL\pN\x60]+(.*))?$`)

// parsePlan reads the tasks of a plan. Headings and boxes inside code blocks are ignored, but git commands inside code
// blocks are read.
func parsePlan(text string) plan {
	var p plan
	lines := strings.Split(text, "\n")
	boxes, _ := textdoc.Boxes(text)
	taken, done := map[string]int{}, sources.DoneSections(text)
	for _, s := range sectionsOf(text) {
		m := taskHeading.FindStringSubmatch(textdoc.OneLine(s.Title))
		if m == nil || s.Level < 2 || s.Level > 4 {
			continue
		}
		if len(p.tasks) == mostTasks {
			p.more++
			continue
		}
		t := task{id: m[1], title: textdoc.Shorten(strings.Trim(m[2], "*_ "), 200), said: done.At(s.Line) != ""}
		if taken[m[1]]++; taken[m[1]] > 1 { // the task numbers may start again in each phase, so ids are made unique
			t.id += "~" + strconv.Itoa(taken[m[1]])
		}
		t.readFiles(s.Body)
		t.readSubjects(lines[min(s.Line, len(lines)):min(s.end, len(lines))])
		for len(boxes) > 0 && boxes[0].Line <= s.Line {
			boxes = boxes[1:]
		}
		for len(boxes) > 0 && boxes[0].Line <= s.end {
			t.boxes++
			if boxes[0].Done || boxes[0].Dropped {
				t.ticked++
			}
			boxes = boxes[1:]
		}
		p.tasks = append(p.tasks, t)
	}
	p.markChecks()
	p.over = saysOver(text)
	return p
}

// checkTitle matches titles of tasks that only check the result. The commit that such a task prescribes is made only if
// the check found something.
var checkTitle = textdoc.NewForm(`(?i)verif|vérif|valida|smoke|wrap.?up|sweep|acceptance|self.?review|final (?:check|review|polish|test|clean|regression|integration)|end.to.end|\be2e\b|\baudit\b|überprüf|проверк|перевірк|验证|驗證|验收|收尾|検証|검증`)

func (p *plan) markChecks() {
	for i := len(p.tasks) - 1; i >= 0; i-- {
		t := &p.tasks[i]
		if t.check = len(t.created) == 0 && checkTitle.MatchString(t.title) || len(t.subjects)+len(t.files) == 0; !t.check {
			return
		}
	}
}

// statusLine matches "**Status:** completed" and captures the status.
var statusLine = textdoc.NewForm(`^[>\-*+ \t]*(?:\*\*|__)?(?:(?i:status|estado|statut)|状态|狀態|상태|状況)(?:\*\*|__)?[ \t]*[:：](?:\*\*|__)?[ \t]*(.{1,300})$`)

// saysOver returns the status above the first task of a plan, if this status means that the plan is completed or was given up. Otherwise it
// returns "".
func saysOver(text string) string {
	for _, l := range textdoc.Visible(text) {
		if _, title, ok := textdoc.Heading(l.Text); ok && taskHeading.MatchString(textdoc.OneLine(title)) {
			return ""
		}
		m := statusLine.FindStringSubmatch(l.Text)
		if m == nil {
			continue
		}
		word := strings.Trim(m[1], "*_` \t✅☑")
		if end := strings.IndexAny(word, ".,;:!(|—–"); end > 0 {
			word = strings.TrimRight(word[:end], "*_` ")
		}
		if means := sources.MeaningOf(word); means == sources.MeansDone || means == sources.MeansClosed {
			return textdoc.Shorten(textdoc.OneLine(word), 60)
		}
	}
	return ""
}

// section is a heading with its text. The field "end" is the number of the section's last line.
type section struct {
	textdoc.Section
	end int
}

// sectionsOf returns the sections of a plan. A section includes its subsections. It ends at the next heading of the same or a higher level,
// or at the next heading of a task, whichever comes first.
func sectionsOf(text string) []section {
	var out []section
	var body []textdoc.Line
	level := 7
	shut := func(end int) {
		if len(out) > 0 && level < 7 {
			out[len(out)-1].end, out[len(out)-1].Body = end, body
		}
		body = nil
	}
	last := 0
	for _, l := range textdoc.Visible(text) {
		n, title, ok := textdoc.Heading(l.Text)
		if ok && (n <= level || taskHeading.MatchString(textdoc.OneLine(title))) {
			shut(l.Number - 1)
			level = n
			out = append(out, section{Section: textdoc.Section{Level: n, Title: title, Line: l.Number}})
		} else {
			body = append(body, l)
		}
		last = l.Number
	}
	shut(max(last, strings.Count(text, "\n")+1))
	return out
}

// fileLine matches "- Create: `path`", and captures the word and the paths.
var fileLine = textdoc.NewForm(`^[ \t]*[-*+][ \t]+(?:\*\*)?((?i:create|new|modify|update|test|delete|remove)|创建|新建|修改|测试)(?:\*\*)?[ \t]*[:：](?:\*\*)?[ \t]*(.+)$`)

var inBackticks = textdoc.NewForm("`([^`]{1,400})`")

// lineNumbers matches the line numbers that may follow a path.
var lineNumbers = textdoc.NewForm(`:[0-9][0-9,:–-]*$`)

func (t *task) readFiles(lines []textdoc.Line) {
	for _, l := range lines {
		if !strings.ContainsAny(l.Text, ":：") {
			continue
		}
		m := fileLine.FindStringSubmatch(l.Text)
		if m == nil || len(t.files) >= mostFiles {
			continue
		}
		named := inBackticks.FindAllStringSubmatch(m[2], mostFiles)
		if len(named) == 0 {
			word, _, _ := strings.Cut(strings.TrimSpace(m[2]), " ")
			named = [][]string{{"", word}}
		}
		creates := slices.Contains([]string{"create", "new", "创建", "新建"}, strings.ToLower(m[1]))
		for _, n := range named {
			file, ok := cleanPath(n[1])
			if !ok || slices.Contains(t.files, file) {
				continue
			}
			if t.files = append(t.files, file); creates {
				t.created = append(t.created, file)
			}
		}
	}
}

// cleanPath returns a path from a plan in the form that git uses. The second result is false if the text is probably not
// the path of a file in the project.
func cleanPath(file string) (string, bool) {
	file = strings.TrimPrefix(strings.ReplaceAll(file[:len(file)-len(lineNumbers.FindString(file))], `\`, "/"), "./")
	if file == "" || len(file) > longestPath || strings.ContainsAny(file, "*?[]{}<>\"'\x00 \t:|$") || strings.HasSuffix(file, "/") || !filepath.IsLocal(file) {
		return "", false
	}
	for part := range strings.SplitSeq(file, "/") {
		if part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git") || strings.ContainsFunc(part, textdoc.Hidden) {
			return "", false
		}
	}
	return file, strings.ContainsAny(file, "/.")
}

var (
	// commitCommand matches "git commit -m" and captures the quotation mark and what follows it.
	commitCommand = textdoc.NewForm(`\bgit commit\b.{0,200}?[ \t](?:-[a-z]*m|--message)[ \t=]*(["'])(.*)$`)
	// hereDocument matches a git commit command whose message is in a here-document on the next lines.
	hereDocument = textdoc.NewForm(`\bgit commit\b.*<<-?[ \t]*['"]?[A-Za-z_]+`)
)

// readSubjects reads the commit subjects in the git commands of a task.
func (t *task) readSubjects(lines []string) {
	for i, line := range lines {
		if !strings.Contains(line, "git commit") || len(line) > 4000 || len(t.subjects) >= mostSubjects {
			continue
		}
		subject := ""
		if hereDocument.MatchString(line) {
			for _, next := range lines[i+1 : min(i+4, len(lines))] {
				if subject = strings.TrimSpace(next); subject != "" {
					break
				}
			}
		} else if m := commitCommand.FindStringSubmatch(line); m != nil {
			subject = quoted(m[2], m[1][0])
		}
		if subject = commitlog.FoldSubject(subject); len(subject) >= commitlog.ShortestSubject && !slices.Contains(t.subjects, subject) {
			t.subjects = append(t.subjects, subject)
		}
	}
}

// quoted returns the quoted text of a shell command, such as the message in git commit -m "…", as the shell would read it. The argument
// "text" is the rest of the line after the opening quotation mark. A message with several lines has no closing mark on this line, and
// quoted then returns the whole rest of the line.
func quoted(text string, mark byte) string {
	var out strings.Builder
	for i := 0; i < len(text) && text[i] != mark; i++ {
		if text[i] == '\\' && mark == '"' && i+1 < len(text) {
			i++
		}
		out.WriteByte(text[i])
	}
	return out.String()
}
