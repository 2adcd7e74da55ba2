package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// universal matches layouts that show a time to people in UTC, such as "15:04 UTC". It does not match layouts for files, which have a T
// between date and time.
var universal = regexp.MustCompile(`(^|[^T])15:04(:05)? ?(UTC|Z$)|\bUTC$`)

// forPeople are the packages that contain messages for people.
var forPeople = []string{"internal/screen/", "internal/conversation/", "internal/assess/", "internal/candidate/", "internal/handler/", "internal/sources/"}

// checkTimes finds times that are shown to people in UTC.
// UTC is allowed only in JSON, in porcelain output and in stored data.
func checkTimes(t *testing.T, s source) (faults []string) {
	in := func(room string) bool { return strings.HasPrefix(s.path, room) }
	if s.isTest() || in("internal/screen/machine/") || !slices.ContainsFunc(forPeople, in) {
		return nil
	}
	f, err := parser.ParseFile(token.NewFileSet(), s.path, s.text, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && universal.MatchString(text) {
				faults = append(faults, s.path+": "+n.Value+" is universal time")
			}
		case *ast.SelectorExpr: // internal/sources may format times as UTC, because it also writes the files of other systems
			if of, ok := n.X.(*ast.CallExpr); ok && n.Sel.Name == "Format" && isUTC(of) && !in("internal/sources/") {
				faults = append(faults, s.path+": a time is formatted as universal time")
			}
		}
		return true
	})
	return faults
}

func isUTC(c *ast.CallExpr) bool {
	s, ok := c.Fun.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "UTC"
}

func TestTimes_areLocalForPeople(t *testing.T) {
	t.Parallel()
	for _, s := range goFiles(t) {
		for _, fault := range checkTimes(t, s) {
			t.Error(fault)
		}
	}
}

func TestTimes_bites(t *testing.T) {
	t.Parallel()
	text := func(call string) string { return "package x\nvar a = " + call + "\n" }
	for path, call := range map[string]string{
		"internal/screen/status/x.go":       `t.UTC().Format("15:04")`,
		"internal/assess/x.go":              `t.UTC().Format(time.RFC3339)`,
		"internal/sources/orchestrate/x.go": `t.Format("2006-01-02 15:04 UTC")`,
		"internal/sources/autoclaude/x.go":  `t.Format("2006-01-02 15:04") + " UTC"`,
		"internal/candidate/x.go":           `t.Format("2006-01-02 15:04:05Z")`,
	} {
		if len(checkTimes(t, source{path, text(call)})) == 0 {
			t.Errorf("%s in %s passes", call, path)
		}
	}
	for path, call := range map[string]string{
		"internal/screen/machine/x.go":  `t.UTC().Format(time.RFC3339)`,
		"internal/sources/longrun/x.go": `t.UTC().Format("2006-01-02T15:04:05Z")`,
		"internal/screen/status/x.go":   `t.In(now.Location()).Format("15:04")`,
		"checkpoint/x.go":               `t.UTC().Format(stamp)`,
	} {
		if faults := checkTimes(t, source{path, text(call)}); len(faults) > 0 {
			t.Errorf("%s", faults)
		}
	}
}
