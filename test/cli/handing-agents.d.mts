type Sent = [type: string, recipient: string | undefined, content: string | object]

export declare const WRONG: Record<string, [...Sent, refusal: string][]>
export declare const RIGHT: Record<string, Sent[]>
export declare const ANSWERS: Record<'critic' | 'scout' | 'debugger', string | object>
