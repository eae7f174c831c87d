;;; gptel.el --- One chat with a scripted model  -*- lexical-binding: t; -*-

;; Run by gptel.mjs: MODEL_URL is the model's, PROMPT what the user asks.  Tools are made as gptel's manual says.

;;; Code:

(require 'gptel)
(require 'gptel-openai)
(require 'url-parse)

(setq gptel-use-tools t
      gptel-confirm-tool-calls nil
      gptel-log-level nil)

(let ((url (url-generic-parse-url (getenv "MODEL_URL"))))
  (setq gptel-model 'scripted
        gptel-backend (gptel-make-openai "loopback"
                        :protocol "http"
                        :host (format "%s:%d" (url-host url) (url-port url))
                        :endpoint "/v1/chat/completions"
                        :key "none" :stream t :models '(scripted))))

(setq gptel-tools
      (list (gptel-make-tool
             :name "shell" :description "Runs a command" :category "system"
             :function (lambda (command)
                         (with-temp-buffer
                           (let ((status (call-process "sh" nil t nil "-c" command)))
                             (concat (buffer-string) (unless (eq status 0) (format "\nexit status %s" status))))))
             :args (list '(:name "command" :type string :description "The command")))
            (gptel-make-tool
             :name "read_file" :description "Reads a file" :category "system" :async t
             :function (lambda (callback path)
                         (funcall callback (with-temp-buffer (insert-file-contents path) (buffer-string))))
             :args (list '(:name "path" :type string :description "The file")))))

;; What `install' wrote, as the user has it.
(let ((init (expand-file-name "~/.emacs.d/init.el")))
  (when (file-exists-p init) (load init nil t)))

(defvar hosts-ended nil)
(with-current-buffer (get-buffer-create "*chat*")
  (text-mode)
  (gptel-mode 1)
  (insert (getenv "PROMPT"))
  (add-hook 'gptel-post-response-functions (lambda (&rest _) (setq hosts-ended t)))
  (let ((until (+ (float-time) 120)))
    (gptel-send)
    (while (and (not hosts-ended) (< (float-time) until))
      (accept-process-output nil 0.1)))
  ;; A run that went wrong says so here.
  (princ (buffer-string)))

;;; gptel.el ends here
