package plan

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/git-resume/git-resume/internal/textdoc"
)

func jsonTree(data []byte, faults *collector) (textdoc.Value, bool) {
	// Check the syntax with encoding/json first, because its messages say best what is wrong.
	var raw json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		jsonFault(data, err, faults)
		return textdoc.Value{}, false
	}
	root, err := bounds.JSON(data)
	if err != nil {
		damageFault(err, "JSON", "fix the JSON", faults)
	}
	return root, err == nil
}

func jsonFault(data []byte, err error, faults *collector) {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		faults.add(0, "the plan is not valid JSON: "+err.Error(), "fix the JSON")
		return
	}
	line := textdoc.LineAt(data, int(syntax.Offset)-1)
	switch what := syntax.Error(); {
	case strings.Contains(what, "exceeded max depth"):
		faults.add(line, nestedTooDeeply, cureNesting)
	case strings.HasSuffix(what, "after top-level value"):
		faults.add(line, "there is more text after the end of the plan", "keep one JSON object per file")
	default:
		faults.add(line, "the plan is not valid JSON: "+what, "fix the JSON; it has no comments, no single quotes and no comma before a closing bracket")
	}
}

func damageFault(err error, language, cure string, faults *collector) {
	var damage *textdoc.DamageError
	switch {
	case !errors.As(err, &damage):
		faults.add(0, "the plan is empty", cureNoTasks)
	case damage.Why == textdoc.TooDeep:
		faults.add(damage.Line, nestedTooDeeply, cureNesting)
	default:
		faults.add(damage.Line, "the plan is not valid "+language+": "+escape(damage.Why), cure)
	}
}
