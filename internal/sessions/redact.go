package sessions

import (
	"regexp"
	"slices"
)

// secrets match what must not be shown of a prompt or of a command, in their first group. A pattern that hides too much does no harm.
var secrets = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(?:authorization|token|secret|password|passwd|pwd|api[-_]?key|access[-_]?key|private[-_]?key|credentials?)["']?\s*[:=]\s*["']?(?:bearer\s+|basic\s+)?([^\s"'&]{4,})`),
	regexp.MustCompile(`(?i)\b(?:bearer|basic)\s+([^\s"']{8,})`),
	regexp.MustCompile(`(?i)\w*(?:token|secret|password|passwd|_pwd|api_?key|access_?key|_key|_pat)=["']?([^\s"'&]+)`),
	regexp.MustCompile(`://([^/\s@:]+:[^/\s@]+)@`),
	regexp.MustCompile(`(?:^|\s)(?:-u|--user|-p|--password)[= ]?["']?([^\s"':/]+:[^\s"'/]+)`),
	regexp.MustCompile(`\b((?:sk|pk|rk|gh[pousr]|github_pat|glpat|xox[abprs]|npm|hf|pypi|AKIA|ASIA|AIza|eyJ)[-_A-Za-z0-9.]{12,})`),
	regexp.MustCompile(`\b([A-Fa-f0-9]{40,}|[A-Za-z0-9+/_-]{48,}={0,2})`),
}

// redacted replaces what looks like a password, a key or another secret.
func redacted(text string) string {
	for _, s := range secrets {
		for _, at := range slices.Backward(s.FindAllStringSubmatchIndex(text, -1)) {
			text = text[:at[2]] + "[hidden]" + text[at[3]:]
		}
	}
	return text
}
