package sharing

import (
	"bytes"
	"path"
	"regexp"
	"strings"
	"sync"
)

// secretNames are patterns for the names of files that usually have passwords or keys. They are compared in lower case.
var secretNames = []string{
	".env", ".env.*", "*.env", ".envrc", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk",
	"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf",
	".git-credentials", ".htpasswd", ".dockercfg", ".dockerconfigjson", "kubeconfig", "*.tfstate", "*.tfstate.*", "*.tfvars", "gha-creds-*.json",
}

// secretPaths are the last parts of paths. A file with such a path usually contains passwords or keys.
var secretPaths = []string{".aws/credentials", ".docker/config.json", ".kube/config", ".config/gh/hosts.yml", "gcloud/application_default_credentials.json"}

// harmlessNames are endings of file names. A file with such an ending is an example, so it counts as harmless even if its name matches a
// pattern in secretNames.
var harmlessNames = []string{".example", ".sample", ".template", ".dist"}

// secretText is a pattern for texts that are probably secrets. The field "mark" is a word that occurs in all of them. Only files with this
// word are searched with the regular expression.
type secretText struct{ kind, mark, pattern string }

var secretTexts = []secretText{
	{"a private key", "PRIVATE KEY", `-----BEGIN [A-Z0-9 ]*PRIVATE KEY`},
	{"an age key", "AGE-SECRET-KEY-", `AGE-SECRET-KEY-1[0-9A-Z]{20}`},
	{"an Amazon key", "AKIA", `\bAKIA[0-9A-Z]{16}\b`},
	{"an Amazon key", "ASIA", `\bASIA[0-9A-Z]{16}\b`},
	{"a GitHub token", "gh", `\bgh[pousr]_[0-9A-Za-z]{30,}`},
	{"a GitHub token", "github_pat_", `github_pat_[0-9A-Za-z_]{30,}`},
	{"a GitLab token", "glpat-", `\bglpat-[0-9A-Za-z_-]{20,}`},
	{"a Slack token", "xox", `\bxox[abeoprs]-[0-9A-Za-z-]{10,}`},
	{"a Slack webhook address", "hooks.slack.com", `hooks\.slack\.com/services/T[0-9A-Za-z_]+/`},
	{"a Stripe key", "_live_", `\b[rs]k_live_[0-9A-Za-z]{16,}`},
	{"a Google key", "AIza", `\bAIza[0-9A-Za-z_-]{35}`},
	{"an Anthropic key", "sk-ant-", `\bsk-ant-[0-9A-Za-z_-]{20,}`},
	{"an OpenAI key", "sk-", `\bsk-(proj-[0-9A-Za-z_-]{20,}|[0-9A-Za-z]{48}\b)`},
	{"an npm token", "npm_", `\bnpm_[0-9A-Za-z]{36}`},
	{"an npm token", "_authToken", `_authToken\s*=\s*[0-9A-Za-z_-]{8,}`},
	{"a PyPI token", "pypi-AgEI", `pypi-AgEI[0-9A-Za-z_-]{20,}`},
	{"a Hugging Face token", "hf_", `\bhf_[0-9A-Za-z]{30,}`},
	{"a Docker token", "dckr_pat_", `dckr_pat_[0-9A-Za-z_-]{20,}`},
	{"a DigitalOcean token", "dop_v1_", `dop_v1_[0-9a-f]{40,}`},
	{"an Azure key", "AccountKey=", `AccountKey=[0-9A-Za-z+/=]{40,}`},
	{"a password in a URL", "://", `[a-z][a-z0-9+.-]*://[^\s/:@'"<>${}]+:[^\s/:@'"<>${}]{3,}@[0-9A-Za-z]`},
}

// compiled has the patterns of secretTexts.
var compiled = sync.OnceValue(func() []*regexp.Regexp {
	out := make([]*regexp.Regexp, 0, len(secretTexts))
	for _, s := range secretTexts {
		out = append(out, regexp.MustCompile(s.pattern))
	}
	return out
})

// secretName returns the reason "its name" if a file probably has passwords or keys, judging by its name. Otherwise it returns "".
func secretName(file string) string {
	whole := strings.ToLower(file)
	for _, end := range harmlessNames {
		if strings.HasSuffix(whole, end) {
			return ""
		}
	}
	name := path.Base(whole)
	for _, pattern := range secretNames {
		if ok, _ := path.Match(pattern, name); ok {
			return "its name"
		}
	}
	for _, end := range secretPaths {
		if whole == end || strings.HasSuffix(whole, "/"+end) {
			return "its name"
		}
	}
	return ""
}

// secretIn says which kind of secret a text has, or "". It helps against mistakes. It does not find every secret.
func secretIn(text []byte) string {
	for i, s := range secretTexts {
		if bytes.Contains(text, []byte(s.mark)) && compiled()[i].Match(text) {
			return s.kind
		}
	}
	return ""
}
