// The `compact` tool as a model sees it, in its two forms. The agent itself executes it.
import type { ToolSchema } from '../../core/model.ts'
import type { Json } from '../../core/text/json.ts'
import type { Mode } from './compact-input.ts'

/** The form depends on the thread's mode: ranges between checkpoints, or one summary. */
export function compactSchema(mode: Mode): ToolSchema {
  return {
    name: 'compact',
    description: DESCRIPTIONS[mode],
    inputSchema: INPUTS[mode],
  }
}

const PRACTICE = `Good summaries:
- Keep what is needed to go on: the task and its constraints in the user's own words, decisions and why, what is done and what is open.
- Say how things are now: where a value or a plan was changed later, give the newest. Say whether the last request is answered, and quote it if it is not.
- Keep exact names: paths, functions, commands, error messages, numbers. Write in the language of the conversation.
- Leave out what can be read again, dead ends beyond one line each, and pleasantries.
- Say what you did and found, and what failed, so that it is not done again; not that you talked about it.`

const DESCRIPTIONS: Readonly<Record<Mode, string>> = {
  ranges: `Replaces parts of this thread with summaries that you write, to make room.

When to use it: the thread is long, or holds much that is repetitive or no longer needed: file contents you have dealt with, long outputs, attempts that led nowhere. Do not use it while you still need the details.

How checkpoints work: every message from the user and every set of tool results ends with a checkpoint such as <checkpoint:abc123>; its id is abc123. Each replacement covers what stands after \`from\`, up to and including the checkpoint \`to\`. Without \`from\` it begins at the start of the thread, without \`to\` it goes on to the end. The message that holds \`from\` stays. An empty summary deletes the range. Ranges of one call must not overlap; all of them are applied, or none. Afterwards you go on with the compacted thread, and the checkpoints outside the ranges can be used again.

${PRACTICE}`,
  summary: `Replaces this whole thread with one summary that you write, to make room.

When to use it: the thread is long and most of it is no longer needed, or a new part of the work begins. Nothing else of the thread stays in view, so the summary must be enough to go on with.

\`contextFiles\` names files that you will need right away; their present content is put before the summary. \`continuation\` is what to do next: with it you go on at once, without it the work stops until the user says something.

${PRACTICE}`,
}

const INPUTS: Readonly<Record<Mode, Json>> = {
  ranges: objectSchema(
    {
      replacements: {
        type: 'array',
        minItems: 1,
        items: objectSchema(
          {
            from: text('Id of the checkpoint after which the range begins.'),
            to: text('Id of the checkpoint with which the range ends.'),
            summary: text('What takes its place; empty to delete the range.'),
          },
          ['summary'],
        ),
      },
    },
    ['replacements'],
  ),
  summary: objectSchema(
    {
      summary: text('What takes the place of the thread.'),
      contextFiles: {
        type: 'array',
        items: { type: 'string' },
        description: 'Files to carry over as they are now, relative to the workspace.',
      },
      continuation: text('What to do next, as a message to yourself.'),
    },
    ['summary'],
  ),
}

function objectSchema(properties: { readonly [name: string]: Json }, required: string[]): Json {
  return { type: 'object', properties, required, additionalProperties: false }
}

function text(description: string): Json {
  return { type: 'string', description }
}
