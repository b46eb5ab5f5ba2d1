//! Messages about URLs do not repeat text that may be a password.

use crate::command::{Place, assert_says};

#[test]
fn no_message_about_a_web_table_repeats_a_password() {
    let place = Place::new();
    let web = "--design web-table";
    for run in [
        place.fluo(&format!(
            "key spans {web} --domain http://user:secret@example.com/"
        )),
        place.fluo(&format!(
            "key spans {web} --row http://user:secret@example.com/"
        )),
        place.fluo(&format!(
            "key spans {web} --encoding hex --row user:secret@example.com/"
        )),
        place.fluo(&format!(
            "key spans {web} --prefix-of user:secret@example.com/"
        )),
        place.fluo(&format!("key explain {web} 00:user:secret@example.com/")),
        place.fluo(&format!(
            "key explain {web} --encoding hex 00:user:secret@example.com/"
        )),
        place.fed(
            &format!("key remove {web}"),
            "00:user:secret@com.example/\n",
        ),
        place.fed(&format!("key remove {web}"), "user:secret@com.example/\n"),
        place.fed(&format!("key add {web}"), "user:secret@example.com/\n"),
    ] {
        let message = run.fails();
        assert!(!message.contains("secret"), "{message}");
        assert_says(&message, "`***@");
    }
}
