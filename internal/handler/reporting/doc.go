// Package reporting records what workers and people report about tasks and runs, for example that a task is done or that a run is paused.
package reporting
