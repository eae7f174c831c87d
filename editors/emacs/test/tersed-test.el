;;; tersed-test.el --- The package against the real program  -*- lexical-binding: t; -*-

;; emacs -Q --batch -L editors/emacs -l editors/emacs/test/tersed-test.el -f ert-run-tests-batch-and-exit

;;; Code:

(require 'ert)

;; What gptel offers, as far as the package uses it.
(defvar gptel-post-tool-call-functions nil)
(defvar gptel-tools nil)
(defun gptel-make-tool (&rest slots) slots)
(defun gptel-tool-name (tool) (plist-get tool :name))

(require 'tersed)

(defconst tersed-test--root
  (expand-file-name "../../.." (file-name-directory (or load-file-name buffer-file-name))))
(defconst tersed-test--program
  (or (getenv "TERSED_BIN") (expand-file-name "target/debug/tersed" tersed-test--root)))
(defconst tersed-test--broken (expand-file-name "editors/test/broken.mjs" tersed-test--root))

(defconst tersed-test--cases
  (mapconcat (lambda (i) (format "test tests::case_%d ... ok" i)) (number-sequence 0 59) "\n"))
(defconst tersed-test--passed
  (concat "running 60 tests\n" tersed-test--cases "\n\n"
          "test result: ok. 60 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n"))
(defconst tersed-test--panic
  "thread 'tests::odd' (7) panicked at src/lib.rs:9:5:\nassertion `left == right` failed\n  left: 3\n right: 4")
(defconst tersed-test--failed
  (concat "running 61 tests\n" tersed-test--cases "\ntest tests::odd ... FAILED\n\nfailures:\n\n"
          "---- tests::odd stdout ----\n" tersed-test--panic "\n\n\nfailures:\n    tests::odd\n\n"
          "test result: FAILED. 60 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n"))

(defmacro tersed-test--with (command &rest body)
  "Run BODY with COMMAND as the program, as gptel would."
  (declare (indent 1))
  ;; No test of the real program depends on how fast it is.
  `(let* ((tersed-command (list ,command))
          (real (equal tersed-command (list tersed-test--program)))
          (tersed-deadline (if real 30 tersed-deadline))
          (tersed-start-deadline (if real 30 tersed-start-deadline)))
     (tersed-gptel-mode 1)
     (unwind-protect (with-temp-buffer ,@body)
       (tersed-gptel-mode -1))))

(defun tersed-test--tool (id name args result)
  "What the model sees of RESULT: the hook is run as gptel runs it, and :result of what it returns counts."
  (let* ((info (list :name name :args args :id id :result result :buffer (current-buffer)))
         (returned (run-hook-with-args-until-success 'gptel-post-tool-call-functions info)))
    (should (equal (plist-get info :result) result))
    (or (plist-get returned :result) result)))

(defun tersed-test--check-passed (text)
  "Check that TEXT is the run that passed, smaller and true."
  (should (< (length text) (/ (length tersed-test--passed) 3)))
  (should (string-match-p "omitted 60 lines 2-61, passing_tests, id [0-9a-f]+\\]" text))
  (should (string-match-p "test result: ok\\. 60 passed; 0 failed" text)))

(ert-deftest tersed-test-compresses ()
  (tersed-test--with tersed-test--program
    (let ((text (tersed-test--tool "call_1" "run_command" '(:command "cargo test") tersed-test--passed)))
      (tersed-test--check-passed text)
      (should (equal text (tersed-test--tool "call_1" "run_command" '(:command "cargo test") tersed-test--passed))))))

(ert-deftest tersed-test-keeps-failures ()
  (tersed-test--with tersed-test--program
    (let ((text (tersed-test--tool nil "run_command" '(:command "cargo test") tersed-test--failed)))
      (should (< (length text) (/ (length tersed-test--failed) 2)))
      (dolist (line (append (split-string tersed-test--panic "\n")
                            '("test tests::odd ... FAILED" "test result: FAILED. 60 passed; 1 failed")))
        (should (string-search line text))))))

(ert-deftest tersed-test-reads-originals ()
  (tersed-test--with tersed-test--program
    (let ((text (tersed-test--tool nil "run_command" '(:command "cargo test") tersed-test--passed)))
      (should (string-match ", id \\([0-9a-f]+\\)\\]" text))
      (should (equal (tersed-gptel-expand (match-string 1 text) 2 3)
                     "test tests::case_0 ... ok\ntest tests::case_1 ... ok\n"))
      (should (string-prefix-p "No original" (tersed-gptel-expand "0123456789abcdef")))
      (should (= 1 (plist-get (plist-get (tersed-stats (tersed--session)) :total) :results))))
    (should (equal (mapcar #'gptel-tool-name gptel-tools) '("tersed_expand"))))
  (should-not gptel-tools)
  (should-not gptel-post-tool-call-functions))

(ert-deftest tersed-test-refers-only-to-what-is-visible ()
  (tersed-test--with tersed-test--program
    (cl-flet ((run (session id)
                (plist-get (tersed-compress session (list :toolCallId id :tool "run" :command (concat "cargo test --profile " id)
                                                          :content tersed-test--passed))
                           :content)))
      (tersed-test--check-passed (run "s" "call_1"))
      (tersed-test--check-passed (run "agent" "call_2"))
      (should (string-prefix-p "[Duplicate of call_1 (run)" (run "s" "call_3")))
      (should (equal (plist-get (tersed-fork "s" "fork") :calls) 2))
      (tersed-forget "s")
      (tersed-test--check-passed (run "s" "call_4"))
      (should (string-prefix-p "[Duplicate of call_1 (run)" (run "fork" "call_5"))))))

(ert-deftest tersed-test-gptel-refers-to-nothing ()
  "A buffer can be edited, cut short, resumed and shared by agents: no result is a place to refer to."
  (tersed-test--with tersed-test--program
    (dolist (id '("call_1" "call_2" "call_3" nil))
      (tersed-test--check-passed (tersed-test--tool id "run" '(:command "cargo test") tersed-test--passed)))))

(ert-deftest tersed-test-leaves-other-results-alone ()
  (tersed-test--with tersed-test--program
    (dolist (result (list "" "größer – 💾\n" (concat tersed-test--passed (unibyte-string 255 254)) 7 nil))
      (should (equal (tersed-test--tool nil "run" '(:command "x") result) result)))
    (should (equal (tersed-test--tool nil "tersed_expand" '(:id "x") tersed-test--passed) tersed-test--passed))
    (tersed-test--check-passed (tersed-test--tool nil "run" '("cargo test" t) tersed-test--passed))))

(dolist (way '("missing" "hang" "garbage" "exit" "crash" "late" "wrong" "error"))
  (eval `(ert-deftest ,(intern (concat "tersed-test-fails-open-" way)) ()
           (let ((process-environment (cons ,(concat "BROKEN=" way) process-environment))
                 (tersed-deadline 0.15)
                 (tersed-start-deadline 0.4))
             (tersed-test--with ,(if (equal way "missing") "/nonexistent/tersed" tersed-test--broken)
               (dotimes (_ 4)
                 (should (equal (tersed-test--tool nil "run" '(:command "cargo test") tersed-test--passed)
                                tersed-test--passed))))))
        t))

(dolist (case '(("hang" 2) ("late" 1)))
  (eval `(ert-deftest ,(intern (concat "tersed-test-waits-twice-at-most-" (car case))) ()
           (let* ((starts (make-temp-file "tersed-starts"))
                  (process-environment
                   (append (list ,(concat "BROKEN=" (car case)) (concat "BROKEN_STARTS=" starts)) process-environment))
                  (tersed-deadline 0.4)
                  (tersed-start-deadline 0.4))
             (unwind-protect
                 (tersed-test--with tersed-test--broken
                   (tersed-test--tool nil "run" nil tersed-test--passed)
                   ;; Longer than the pause after one failure.
                   (sleep-for 0.6)
                   (tersed-test--tool nil "run" nil tersed-test--passed)
                   ;; Whoever asked would wait longer than the test may take.
                   (let ((tersed-deadline 3600)
                         (tersed-start-deadline 3600))
                     (dotimes (_ 4)
                       (sleep-for 0.6)
                       (tersed-test--tool nil "run" nil tersed-test--passed)))
                   (should (= ,(cadr case)
                              (with-temp-buffer
                                (insert-file-contents starts)
                                (count-lines (point-min) (point-max)))))
                   (should-not (tersed-running-p)))
               (delete-file starts))))
        t))

(ert-deftest tersed-test-starts-a-program-that-crashed-again ()
  (let* ((starts (make-temp-file "tersed-starts"))
         (process-environment (append (list "BROKEN=crash" (concat "BROKEN_STARTS=" starts)) process-environment))
         (count (lambda () (with-temp-buffer (insert-file-contents starts) (count-lines (point-min) (point-max))))))
    (unwind-protect
        (tersed-test--with tersed-test--broken
          (tersed-test--tool nil "run" nil tersed-test--passed)
          (should (= 1 (funcall count)))
          (sleep-for 0.6)
          (tersed-test--tool nil "run" nil tersed-test--passed)
          (should (= 2 (funcall count))))
      (delete-file starts))))

(provide 'tersed-test)
;;; tersed-test.el ends here
