// Asks the service. What it refuses is thrown as a Problem.
import {askForToken, currentToken} from './token.js';

export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || `status ${status}`);
    this.status = status;
    this.field = body.field ?? null;
    this.line = body.line ?? null;
    this.column = body.column ?? null;
  }

  // The server could not be reached at all.
  get unreachable() {
    return this.status === 0;
  }
}

export const aborted = (error) => error?.name === 'AbortError';

export const modelPath = (model) => `v1/models/${encodeURIComponent(model)}`;

export function queryString(params) {
  const pairs = Object.entries(params).filter(([, value]) => value !== null && value !== undefined);
  return pairs.length ? `?${new URLSearchParams(pairs)}` : '';
}

async function send(path, options) {
  const headers = {Accept: 'application/json', ...options.headers};
  const token = currentToken();
  if (token) headers.Authorization = `Bearer ${token}`;
  let response;
  try {
    response = await fetch(path, {...options, headers});
  } catch (error) {
    if (aborted(error)) throw error;
    throw new Problem(0, {detail: 'The server does not answer.'});
  }
  if (response.status === 401 && await askForToken(Boolean(token))) return send(path, options);
  const body = await response.json().catch((error) => {
    if (aborted(error)) throw error;
    return {};
  });
  if (!response.ok) throw new Problem(response.status, body);
  return body;
}

export const get = (path, signal) => send(path, {signal});

export function post(path, body, signal) {
  return send(path, {method: 'POST', body: JSON.stringify(body), headers: {'Content-Type': 'application/json'}, signal});
}

// Asks for what the service makes on demand: while that takes longer than a request may, it answers 503.
export async function getMade(path, signal) {
  for (;;) {
    try {
      return await get(path, signal);
    } catch (error) {
      if (error.status !== 503) throw error;
    }
    await pause(1000, signal);
  }
}

export function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new DOMException('aborted', 'AbortError'));
    }, {once: true});
  });
}

// Of several questions only the last one matters: a new one ends the one before.
export function latest() {
  let controller = null;
  return {
    next() {
      controller?.abort();
      controller = new AbortController();
      return controller.signal;
    },
    stop() {
      controller?.abort();
      controller = null;
    },
  };
}
