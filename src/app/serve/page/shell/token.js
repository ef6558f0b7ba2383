// The dialog that asks for the token of a server that wants one. It is kept until the tab is closed.
import {h} from './dom.js';

let pending = null;
let token = null;

export function currentToken() {
  try {
    return token ?? sessionStorage.getItem('linn.token');
  } catch {
    return token;  // storage is switched off
  }
}

function keep(text) {
  token = text;
  try {
    sessionStorage.setItem('linn.token', text);
  } catch {
    // Then until the page is left.
  }
}

// Resolves to whether there is a new token to try.
export function askForToken(wasWrong) {
  pending ??= new Promise((resolve) => {
    const input = h('input', {type: 'password', name: 'token', autocomplete: 'current-password', required: true,
                              'aria-label': 'Token', class: 'field'});
    const dialog = h('dialog', {class: 'token', 'aria-labelledby': 'token-title'},
        h('form', {method: 'dialog'},
            h('h2', {id: 'token-title'}, 'This server asks for its token'),
            h('p', {class: 'muted'}, wasWrong ? 'That token was not right. ' : '',
                'It is the content of the file that was given as --token-file, and is kept in this tab alone.'),
            input,
            h('div', {class: 'actions'},
                h('button', {class: 'button', type: 'button', onclick: () => dialog.close('cancel')}, 'Cancel'),
                h('button', {class: 'button primary', type: 'submit', value: 'go'}, 'Go on'))));
    dialog.addEventListener('close', () => {
      const go = dialog.returnValue === 'go' && input.value.trim() !== '';
      if (go) keep(input.value.trim());
      dialog.remove();
      pending = null;
      resolve(go);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
  return pending;
}
