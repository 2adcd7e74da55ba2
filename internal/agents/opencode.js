// Tells git resume about sessions, so that interrupted work can be continued.
// Remove it with: git resume agents uninstall opencode
import { spawn } from "node:child_process"

const wanted = ["session.created", "session.status", "session.idle", "session.error", "todo.updated"]

// report starts git-resume and does not wait for it. Nothing happens if it is not installed.
const report = (cwd, event, properties) => {
  try {
    const child = spawn("git-resume", ["agent-event"], { cwd, detached: true, stdio: ["pipe", "ignore", "ignore"] })
    child.on("error", () => {})
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify({ agent: "opencode", hook_event_name: event, cwd, pid: process.pid, properties }))
    child.unref()
  } catch {}
}

export const GitResume = async ({ directory }) => ({
  event: async ({ event }) => {
    if (wanted.includes(event.type)) report(directory, event.type, event.properties)
  },
  "shell.env": async (input, output) => {
    if (input.sessionID) output.env.OPENCODE_SESSION_ID = input.sessionID
  },
})
