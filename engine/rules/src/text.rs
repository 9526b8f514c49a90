//! What the parsers share in telling a user's text back.

/// The beginning of a text, of at most so many characters, without anything that would disturb a line of a terminal.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let mut told = String::new();
    for (count, letter) in text.chars().enumerate() {
        if count == most {
            told.push('…');
            break;
        }
        if letter.is_control() { told.extend(letter.escape_default()) } else { told.push(letter) }
    }
    told
}
