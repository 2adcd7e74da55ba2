// Package agentevent records what the hooks of coding agents report about runs. If a run's journal stays locked, the report is put into a
// folder, the inbox, and recorded later. So the hook need not wait long.
package agentevent
