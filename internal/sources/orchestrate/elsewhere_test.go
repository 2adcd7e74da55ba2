package orchestrate

// elsewhere lists the requirements without a case in this package. It names the test that covers each of them, or the reason why none
// does.
var elsewhere = map[string]string{
	"S1-13":  "the newest one is chosen without anybody: script resume_several",
	"S1-14":  "a single one needs no confirmation: internal/conversation TestDecided",
	"S1-15":  "the newest one is chosen without anybody: script resume_several",
	"S1-16":  "the decision and its reasons are in the journal: internal/handler TestForeign_isFoundAdoptedAndHandedOver, script log_run",
	"S1-17":  "automatic mode asks nothing: internal/assess TestDecide_everyFindingInEveryMode",
	"S1-18":  "the summary comes before the question: script orchestrate_examples",
	"S1-19":  "somebody chooses among several: script resume_several",
	"S1-20":  "the question of interactive mode: scripts resume_prompt and orchestrate_examples",
	"S1-21":  "warnings are shown and asked about: script orchestrate_examples",
	"S1-22":  "interactive is the default: internal/assess TestDecide_everyFindingInEveryMode",
	"S1-23":  "pre-flight checks everything first: script preflight_report",
	"S1-27":  "the plan with its risk: script preflight_report",
	"S1-28":  "the typed word: script preflight_report",
	"S1-76":  "automatic mode, clean: internal/assess TestDecide_everyFindingInEveryMode and TestDecide_age",
	"S1-77":  "automatic mode with warnings: internal/assess TestDecide_everyFindingInEveryMode",
	"S1-78":  "automatic mode stops at conflicts: internal/assess TestDecide_everyFindingInEveryMode, script orchestrate_examples",
	"S1-86":  "answering with none: script resume_several",
	"S1-90":  "the typed word: script preflight_report",
	"S1-95":  "what the journal holds of a resume: internal/handler TestForeign_isFoundAdoptedAndHandedOver",
	"S1-106": "what the journal holds of an action: internal/handler TestForeign_actionsAreSavedAndUndone, script orchestrate_examples",
	"S1-110": "nothing found is an answer, with what can be done: script status_nothing",
	"S1-112": "several are listed, and automatic mode takes the newest: script resume_several",
	"S1-115": "TestProblem_namesPathAndError in this package: the tests run as a user whom no permission stops",
	"S1-118": "nothing found is exit code 0: script status_nothing, docs/exit-codes.md",
	"S1-125": "the reasons of automatic mode are in the journal: internal/handler TestForeign_isFoundAdoptedAndHandedOver",
	"S1-127": "advice to people who resume often belongs to the family's own agent; 'git resume status' is what a hint names: script status_nothing",
	"S1-129": "orchestrate-status is the family's own report; its counterpart here is 'git resume status': script orchestrate_examples",
	"S1-133": "the template of the family's own status report; none is written here",
}
