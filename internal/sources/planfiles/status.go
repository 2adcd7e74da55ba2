package planfiles

import (
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// These tables contain the words of the plan template in the languages that the tool offers, and in translations that people made.
var (
	statusLabels  = []string{"status", "状态", "狀態", "阶段状态", "estado", "situação", "statut", "état", "stato", "상태", "ステータス", "الحالة", "статус"}
	needsLabels   = []string{"dependson", "depends on"}
	phaseColumns  = []string{"phase", "fase", "étape", "etapa", "stage", "step", "阶段", "階段", "步骤", "단계", "フェーズ", "المرحلة", "этап"}
	currentTitles = []string{"current phase", "当前阶段", "當前階段", "目前阶段", "aktuelle phase", "fase actual", "fase atual", "phase actuelle", "현재 단계", "現在のフェーズ", "المرحلة الحالية"}
	nextTitles    = []string{"next step", "next steps", "下一步", "nächster schritt", "siguiente paso", "próximo passo", "الخطوة التالية"}
	groupTitles   = []string{"phases", "phasen", "fases", "étapes", "etapas", "stages", "各阶段", "阶段", "阶段追踪", "任务阶段", "各階段", "階段", "단계", "المراحل"}
)

var (
	phaseForm = textdoc.NewForm(`(?i)^[^\pL\pN]*(?:phase|fase|étape|etapa|stage|step|schritt|milestone|阶段|階段|步骤|フェーズ|단계|المرحلة|этап|фаза)` +
		`[ \t]*[#-]?[ \t]*([0-9]{1,6}(?:\.[0-9]{1,4}){0,3}[a-z]?|[A-Z]|[IVX]{1,5}|[一二三四五六七八九十]{1,3})(?:[ \t]*[:：.)）、–—-]+[ \t]*|[ \t]+|$)(.*)$`)
	ordinalForm = textdoc.NewForm(`^第[ \t]*([0-9]{1,6}|[一二三四五六七八九十]{1,3})[ \t]*(?:阶段|階段|步|期)[ \t]*[:：.、–—-]*[ \t]*(.*)$`)
	numberForm  = textdoc.NewForm(`^([0-9]{1,6}(?:\.[0-9]{1,4}){0,3})[.)、:：]?[ \t]+(.+)$`)
)

// nameOf splits a heading or an item into the id and the title of a phase. The result "named" is true if the text begins with a word such
// as "Phase".
func nameOf(text string) (id, title string, named bool) {
	text = strings.TrimSpace(strings.Trim(textdoc.OneLine(text), "*"))
	for _, form := range []*textdoc.Form{phaseForm, ordinalForm} {
		if m := form.FindStringSubmatch(text); m != nil {
			return strings.ToLower(m[1]), strings.TrimSpace(m[2]), true
		}
	}
	if m := numberForm.FindStringSubmatch(text); m != nil {
		return m[1], m[2], false
	}
	return "", text, false
}

// isGroup reports whether a heading is the title of a list of phases, such as "Phases".
func isGroup(title string) bool {
	title = strings.ToLower(strings.Trim(title, "*_ :："))
	return slices.Contains(groupTitles, title) || strings.HasSuffix(title, " phases") || strings.HasSuffix(title, " fases")
}

// label splits a line such as "- **Status:** pending" into the label in lower case and the value. It also accepts a full-width colon.
func label(line string) (name, value string) {
	plain := strings.NewReplacer("**", "", "__", "").Replace(textdoc.Unbulleted(line))
	at := strings.IndexAny(plain, ":：")
	if at < 0 || at > 40 {
		return "", ""
	}
	value = strings.TrimPrefix(strings.TrimPrefix(plain[at:], ":"), "：")
	return strings.ToLower(strings.TrimSpace(plain[:at])), strings.TrimSpace(value)
}

// symbols are the symbols that people use instead of a status word, with their meanings.
var symbols = []struct {
	sign  string
	means sources.Meaning
}{
	{"✅", sources.MeansDone}, {"✔", sources.MeansDone}, {"☑", sources.MeansDone}, {"🔄", sources.MeansInProgress}, {"🚧", sources.MeansInProgress},
	{"⬜", sources.MeansPending}, {"☐", sources.MeansPending}, {"⏳", sources.MeansPending}, {"⏸", sources.MeansBlocked}, {"❌", sources.MeansFailed},
}

// variation is an invisible character. If it follows a symbol, the symbol appears in colour.
const variation = "\ufe0f"

// meaningOf returns the meaning of a status. Words are tried before symbols, because people use many symbols only as decoration.
func meaningOf(status string) sources.Meaning {
	status = textdoc.Unmark(strings.Trim(strings.TrimSpace(status), "[]"))
	if m := sources.MeaningOf(status); m != sources.MeansUnknown {
		return m
	}
	for _, s := range symbols {
		if rest, ok := strings.CutPrefix(status, s.sign); ok && strings.Trim(rest, variation+" ") == "" {
			return s.means
		}
	}
	return sources.MeansUnknown
}

// unlikely are words that could be a status, but at the end of a heading usually belong to its title, as in "Phase 4: Review".
var unlikely = []string{"planning", "review", "draft", "released", "optional", "building", "new", "open", "working", "error", "release"}

// suffix splits a heading such as "Setup (in progress)", "Setup [status: pending]", "Setup — `complete`" or "Setup ✅" into its title and
// the status at its end. The status is empty if there is none.
func suffix(title string) (bare, status string) {
	title = strings.TrimSpace(title)
	for _, s := range symbols {
		rest, ok := strings.CutSuffix(strings.TrimSuffix(title, variation), s.sign)
		if rest = strings.TrimSpace(rest); ok && rest != "" {
			return rest, s.sign
		}
	}
	for _, pair := range [][2]string{{"`[", "]`"}, {"(", ")"}, {"（", "）"}, {"[", "]"}, {"`", "`"}} {
		rest, ok := strings.CutSuffix(title, pair[1])
		if at := strings.LastIndex(rest, pair[0]); ok && at > 0 {
			return known(title, rest[:at], rest[at+len(pair[0]):])
		}
	}
	for _, dash := range []string{" — ", " – ", " - "} {
		if at := strings.LastIndex(title, dash); at > 0 {
			return known(title, title[:at], title[at+len(dash):])
		}
	}
	return title, ""
}

// known returns the title and the status if the status has a known meaning. Otherwise it returns the whole text as the title.
func known(whole, title, status string) (string, string) {
	if name, value := label(status); slices.Contains(statusLabels, name) {
		status = value
	}
	status = strings.TrimSpace(status)
	if slices.Contains(unlikely, sources.FoldWord(status)) || meaningOf(status) == sources.MeansUnknown {
		return whole, ""
	}
	return strings.TrimRight(title, " \t—–-`:："), status
}
