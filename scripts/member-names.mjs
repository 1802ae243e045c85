// The members that are read of what may be a form: those that forms and documents have, and that the sources read of elements
// and documents. capture/tests/members.spec.ts finds what is missing. What forms do not have, as `value`, is only read where it
// is known that there is none.
export const NAMES = `
activeElement addEventListener adoptedStyleSheets after append appendChild ariaControlsElements ariaLabelledByElements
assignedSlot attachShadow attributes baseURI before blur body checkVisibility childElementCount
childNodes children classList className click clientHeight clientLeft clientTop clientWidth cloneNode
closest compareDocumentPosition contains contentType createElement createTreeWalker dispatchEvent documentElement
editContext elementFromPoint elements firstChild firstElementChild focus getAnimations getAttribute
getAttributeNames getBoundingClientRect getClientRects getElementById getElementsByTagName getRootNode
getSelection hasAttribute hasAttributes hasChildNodes head hidePopover id implementation importNode
innerHTML innerText isConnected isContentEditable lang lastChild lastElementChild localName matches
nextElementSibling nextSibling nodeName nodeType nodeValue normalize offsetHeight offsetWidth outerHTML
ownerDocument parentElement parentNode popover previousElementSibling previousSibling querySelector
querySelectorAll remove removeAttribute removeChild removeEventListener replaceChild replaceChildren
replaceWith requestSubmit reset scroll scrollBy scrollHeight scrollIntoView scrollLeft scrollTo
scrollTop scrollWidth setAttribute setAttributeNode shadowRoot showPopover style styleSheets submit tabIndex tagName
textContent title toggleAttribute validationMessage`
  .trim()
  .split(/\s+/);
