package sharing

import (
	"strings"
	"testing"
)

func TestSecretName_knowsUsualNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{".env", "app/.env.local", "prod.env", "tls/server.pem", "server.KEY", "id_ed25519", ".netrc", "a/.npmrc", "infra/terraform.tfstate", "gha-creds-1.json", "home/.aws/credentials", ".kube/config"} {
		if secretName(name) == "" {
			t.Errorf("%s is not noticed", name)
		}
	}
	for _, name := range []string{"main.go", ".env.example", "environment.go", "id_map.go", "keys.go", "credentials.go", "config", "id_rsa.pub"} {
		if kind := secretName(name); kind != "" {
			t.Errorf("%s: %s", name, kind)
		}
	}
}

// The secrets are put together from parts, so that secret scanners do not report this file.
func TestSecretIn_knowsUsualTokens(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("aB3", 20)
	for _, text := range []string{
		"-----BEGIN " + "OPENSSH PRIVATE KEY-----", "AKIA" + "ABCDEFGHIJKLMNOP", "x=ghp_" + long[:36], "github_" + "pat_" + long, "glpat" + "-" + long[:20],
		"xoxb" + "-1234567890-abc", "sk_" + "live_" + long[:24], "AI" + "za" + long[:35], "sk-ant" + "-api03-" + long, "sk-" + "proj-" + long, "npm_" + long[:36],
		"//registry/:_auth" + "Token=" + long[:36], "hf_" + long[:34], "postgres://app:" + "hunter2@db.example/x", "AccountKey" + "=" + long,
	} {
		if secretIn([]byte("a\n"+text+"\n")) == "" {
			t.Errorf("%s is not noticed", text[:8])
		}
	}
	for _, text := range []string{
		"package main", "-----BEGIN CERTIFICATE-----", "see https://example.com/a:b@c", "ghp_short", "https://user@example.com/x", "sk-learn and npm_config_cache", "postgres://$USER:$PASSWORD@db/x",
	} {
		if kind := secretIn([]byte(text)); kind != "" {
			t.Errorf("%q: %s", text, kind)
		}
	}
}
