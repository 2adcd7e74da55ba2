// Package agentevent records what the hooks of coding agents report about runs. If a run's journal stays locked, the report goes into the
// inbox, so that the hook need not wait long.
package agentevent
