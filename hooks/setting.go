package hooks

import (
	"context"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/process"
)

// These git settings make git run our hook. The event is set last, because git complains about an event without a command.
const (
	settingSection = "hook.git-resume"
	settingCommand = settingSection + ".command"
	settingEvent   = settingSection + ".event"
)

func scope(global bool) string {
	if global {
		return "--global"
	}
	return "--local"
}

func setSetting(ctx context.Context, r *gitstate.Repo, global bool) error {
	for _, kv := range [][2]string{{settingCommand, command()}, {settingEvent, Name}} {
		have, err := r.Line(ctx, "config", scope(global), "--get", kv[0])
		if err == nil && have == kv[1] {
			continue
		}
		if err := r.Settings.Configure(ctx, scope(global), kv[0], kv[1]); err != nil {
			return err
		}
	}
	return nil
}

func removeSetting(ctx context.Context, r *gitstate.Repo, global bool) error {
	return r.Settings.Configure(ctx, scope(global), "--remove-section", settingSection)
}

// localSetting reports whether the repository's own settings contain the hook.
func localSetting(ctx context.Context, r *gitstate.Repo) bool {
	_, err := r.Git(ctx, process.Call{Args: []string{"config", "--local", "--get", settingCommand}})
	return err == nil
}
