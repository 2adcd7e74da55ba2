package agents

// nowhere is an address of this machine at which nothing answers. A trial session uses it as the address of the model, so that no real
// model is asked. The session needs no answer, because its hooks are called before the model is asked.
const nowhere = "http://127.0.0.1:1"

// fakeKey is used instead of a user's API key. No service accepts it.
const fakeKey = "fake-key-0000"

// Trial says how to start a short session of an agent that only shows whether the agent calls our hooks.
type Trial struct {
	// Args are the arguments of the agent, and Env are additional environment variables.
	Args, Env []string
	// Files are settings files to write into the new home folder of the trial. The keys are their paths there.
	Files map[string]string
}

// Trial returns how to try the agent's hooks. ok is false if a trial was never made with the real program.
func (a Agent) Trial() (t Trial, ok bool) {
	const prompt = "Answer with one word."
	switch a.Name {
	case "claude":
		return Trial{
			Args: []string{"-p", prompt},
			Env:  []string{"ANTHROPIC_BASE_URL=" + nowhere, "ANTHROPIC_API_KEY=" + fakeKey, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"},
		}, true
	case "codex": // the function askCodex checks whether the user trusts the hooks, so the trial switches codex's own check off
		return Trial{
			Args: []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", prompt},
			Env:  []string{"TRIAL_KEY=" + fakeKey},
			Files: map[string]string{".codex/config.toml": "model = \"gpt-5-codex\"\nmodel_provider = \"nowhere\"\ncheck_for_update_on_startup = false\n\n[analytics]\nenabled = false\n\n" +
				"[model_providers.nowhere]\nname = \"nowhere\"\nbase_url = \"" + nowhere + "/v1\"\nenv_key = \"TRIAL_KEY\"\nwire_api = \"responses\"\nrequest_max_retries = 0\nstream_max_retries = 0\n"},
		}, true
	case "gemini":
		return Trial{
			Args:  []string{"-p", prompt},
			Env:   []string{"GOOGLE_GEMINI_BASE_URL=" + nowhere, "GEMINI_API_KEY=" + fakeKey, "GEMINI_CLI_NO_RELAUNCH=true"},
			Files: map[string]string{".gemini/settings.json": trialSettings("gemini-api-key")},
		}, true
	case "qwen":
		return Trial{
			Args:  []string{"--auth-type", "openai", "-p", prompt},
			Env:   []string{"OPENAI_BASE_URL=" + nowhere + "/v1", "OPENAI_API_KEY=" + fakeKey, "OPENAI_MODEL=none"},
			Files: map[string]string{".qwen/settings.json": trialSettings("openai")},
		}, true
	case "copilot":
		return Trial{
			Args: []string{"--allow-all-tools", "--disable-builtin-mcps", "-p", prompt},
			Env:  []string{"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=" + nowhere + "/v1", "COPILOT_PROVIDER_API_KEY=" + fakeKey, "COPILOT_MODEL=gpt-4.1"},
		}, true
	case "opencode":
		return Trial{
			Args: []string{"run", prompt},
			Env:  []string{"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_SHARE=1"},
			Files: map[string]string{".config/opencode/opencode.json": `{"autoupdate": false, "share": "disabled", "model": "nowhere/none", "small_model": "nowhere/none",
"provider": {"nowhere": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "` + nowhere + `/v1", "apiKey": "` + fakeKey + `"}, "models": {"none": {"name": "none"}}}}}` + "\n"},
		}, true
	}
	return Trial{}, false
}

// trialSettings returns the settings with which Gemini CLI and Qwen Code start in a new folder without asking anything.
func trialSettings(auth string) string {
	return `{"security": {"auth": {"selectedType": "` + auth + `"}, "folderTrust": {"enabled": false}}, "privacy": {"usageStatisticsEnabled": false}, "general": {"enableAutoUpdate": false}}` + "\n"
}
