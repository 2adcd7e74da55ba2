package sourcetest

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Match compares a JSON text with a pattern. It returns the first difference, or an empty text if the pattern matches.
func Match(pattern, text string) string {
	var want, got any
	if err := json.Unmarshal([]byte(pattern), &want); err != nil {
		return fmt.Sprintf("the pattern is no JSON: %v", err)
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		return fmt.Sprintf("what was found is no JSON: %v", err)
	}
	return match("", want, got)
}

func match(at string, want, got any) string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s: want an object, have %v", at, got)
		}
		for k, sub := range w {
			if why := match(at+"."+k, sub, g[k]); why != "" {
				return why
			}
		}
		return ""
	case []any:
		return matchList(at, w, got)
	}
	if want == "*" && got != nil && got != "" {
		return ""
	}
	if want != got && !(want == nil && got == nil) {
		return fmt.Sprintf("%s: want %v, have %v", at, want, got)
	}
	return ""
}

func matchList(at string, want []any, got any) string {
	g, ok := got.([]any)
	if !ok && got != nil {
		return fmt.Sprintf("%s: want a list, have %v", at, got)
	}
	if len(want) > 0 && want[0] == "…" {
		return matchAnywhere(at, want[1:], g)
	}
	open := len(want) > 0 && want[len(want)-1] == "…"
	if open {
		want = slices.Delete(slices.Clone(want), len(want)-1, len(want))
	}
	if len(g) < len(want) || !open && len(g) != len(want) {
		return fmt.Sprintf("%s: want %d elements, have %d", at, len(want), len(g))
	}
	for i := range want {
		if why := match(fmt.Sprintf("%s[%d]", at, i), want[i], g[i]); why != "" {
			return why
		}
	}
	return ""
}

// matchAnywhere checks that each pattern matches some element.
func matchAnywhere(at string, want, got []any) string {
	for i, w := range want {
		if w == "…" {
			continue
		}
		if !slices.ContainsFunc(got, func(g any) bool { return match("", w, g) == "" }) {
			return fmt.Sprintf("%s: no element is like pattern %d, %v", at, i+1, w)
		}
	}
	return ""
}
