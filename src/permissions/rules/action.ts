/** What a tool call is about to do, as rules and people judge it. */
export type Action =
  | { readonly kind: 'run'; readonly tool: string; readonly command: string }
  | { readonly kind: 'read'; readonly tool: string; readonly path: string }
  | { readonly kind: 'write'; readonly tool: string; readonly path: string }
  | { readonly kind: 'use'; readonly tool: string }
